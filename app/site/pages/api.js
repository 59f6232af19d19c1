// SPDX-License-Identifier: Apache-2.0
// Calls of the API by the pages.

/**
 * Calls the API. Returns the status and the data, or what is wrong in words.
 * @param {string} base @param {string} method @param {string} path @param {object} [body]
 */
export async function call(base, method, path, body) {
  try {
    const response = await fetch(base + path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = text === "" ? {} : JSON.parse(text);
    return { status: response.status, data: answer.data, problem: answer.error?.message ?? "" };
  } catch {
    return { status: 0, data: undefined, problem: "The server does not answer. Try again." };
  }
}
