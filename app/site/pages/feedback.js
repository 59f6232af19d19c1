// SPDX-License-Identifier: Apache-2.0
// Asks whether an article helped, below it.

import { call } from "./api.js";

const kLongest = 2000;

/** @param {HTMLElement} place has the address of the API in data-address */
export function watch_feedback(place) {
  const address = place.dataset.address ?? "";
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const question = document.createElement("p");
  question.append("Did this page help? ", answer("Yes", true), " ", answer("No", false));
  place.replaceChildren(question, status);
  place.hidden = false;

  /** @param {string} text @param {boolean} is_helpful */
  function answer(text, is_helpful) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", async () => {
      if (!await send({ helpful: is_helpful })) return;
      question.remove();
      place.prepend(comment_form(is_helpful));
    });
    return button;
  }

  /** @param {boolean} is_helpful */
  function comment_form(is_helpful) {
    const form = document.createElement("form");
    const label = document.createElement("label");
    const field = document.createElement("textarea");
    const button = document.createElement("button");
    field.rows = 3;
    field.maxLength = kLongest / 4;  // bytes of the longest character
    field.required = true;
    label.append(is_helpful ? "What helped? (optional)" : "What is missing or wrong? (optional)", field);
    button.textContent = "Send";
    form.append(label, button);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await send({ helpful: is_helpful, comment: field.value })) form.remove();
    });
    return form;
  }

  /** @param {object} feedback */
  async function send(feedback) {
    const { status: code, problem } = await call(address, "POST", "", feedback);
    status.textContent = code === 200 ? "Thank you." : problem;
    return code === 200;
  }
}
