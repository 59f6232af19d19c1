// SPDX-License-Identifier: Apache-2.0
// Whether the service is well: a dot with words. The question is free of quota, is asked once a minute at most, and
// not while nobody looks. Its answer tells the quota too, before the first request is spent.

import { fill, h } from "./dom.js";
import { T } from "./texts.js";

const kMinute = 60_000;

export class HealthLight {
  #app;
  #asked = -Infinity;
  element = h("p", { class: "health" });

  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.#app = app;
    document.addEventListener("visibilitychange", () => void this.#ask_in_time());
    setInterval(() => void this.#ask_in_time(), kMinute / 4);
  }

  /** Asks now, for example because the key changed. */
  async ask() {
    this.#asked = performance.now();
    try {
      const { body } = await this.#app.api.get("/health", {}, { free: true });
      this.#show(body.status in T.health ? body.status : "unknown", body.version ?? "");
    } catch {
      this.#show("unknown", "");
    }
  }

  async #ask_in_time() {
    if (!document.hidden && performance.now() - this.#asked >= kMinute) await this.ask();
  }

  #show(status, version) {
    fill(this.element, h("span", { class: `dot ${status}`, "aria-hidden": "true" }), T.health[status],
         version !== "" && ` · ${T.version(version)}`);
  }
}
