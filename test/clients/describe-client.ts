import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../browser/browser.ts";
import { openClientPage, type ClientPage, type ClientPageOptions } from "./client-page.ts";

/**
 * Describes the actions of a client in its own page. After the tests, the page must not have complained.
 * @param title names the client
 * @param script the script of the page below `pages`, without ending
 * @param tests the tests; they get a function that returns the page
 */
export function describeClient(
  title: string,
  script: string,
  options: ClientPageOptions,
  tests: (client: () => ClientPage) => void,
): void {
  describe.skipIf(findBrowser() === undefined)(title, () => {
    let client: ClientPage;
    beforeAll(async () => {
      client = await openClientPage(`pages/${script}`, options);
    });
    afterAll(() => client.close());
    tests(() => client);
    test("the page complains of nothing, and no request fails at the server", () => {
      expect(client.complaints).toEqual([]);
      expect(client.requests.filter(({ status }) => status >= 500)).toEqual([]);
    });
  });
}

/** Asserts a value that a page reaches after a while. */
export function eventually<Value>(read: () => Value | Promise<Value>): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(read);
}
