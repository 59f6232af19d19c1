// SPDX-License-Identifier: Apache-2.0
// Health of the service: a colored dot with a text. The request is not charged, is sent at most once a minute, and
// not while the page is hidden. Its response also contains the quota, before the first charged request.

import { fill, h } from "./dom.js";
import { T } from "./texts.js";

const kMinute = 60_000;

export class HealthLight {
  #app;
  #checked_at = -Infinity;
  element = h("p", { class: "health" });

  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.#app = app;
    document.addEventListener("visibilitychange", () => void this.#check_if_due());
    setInterval(() => void this.#check_if_due(), kMinute / 4);
  }

  /** Requests the health now, for example because the key changed. */
  async check() {
    this.#checked_at = performance.now();
    try {
      const { body } = await this.#app.api.get("/health", {}, { free: true });
      this.#show(body.status in T.health ? body.status : "unknown", body.version ?? "");
    } catch {
      this.#show("unknown", "");
    }
  }

  async #check_if_due() {
    if (!document.hidden && performance.now() - this.#checked_at >= kMinute) await this.check();
  }

  #show(status, version) {
    fill(this.element, h("span", { class: `dot ${status}`, "aria-hidden": "true" }), T.health[status],
         version !== "" && ` · ${T.version(version)}`);
  }
}
