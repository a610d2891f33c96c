import { describe, expect, test } from "vitest";
import { sentHeader } from "../../../src/tools/cli/serve/sent-header.ts";

describe("the header of a request", () => {
  const message = { rawHeaders: ["Host", "localhost:80", "X-Api-Key", "a", "__proto__", "x", "x-api-key", "b"] };

  test.each([
    ["host", "localhost:80"],
    ["x-api-key", "a, b"],
    ["authorization", null],
  ])("%s of a message of Node.js, which loads no fetch client", (name, expected) => {
    const request = {
      host: message,
      get headers(): Headers {
        throw new Error("not asked");
      },
    };
    expect(sentHeader(request, name)).toBe(expected);
  });

  test.each([
    ["x-api-key", "a, b"],
    ["authorization", null],
  ])("%s of another host is that of its Headers", (name, expected) => {
    const headers = new Headers([
      ["x-api-key", "a"],
      ["x-api-key", "b"],
    ]);
    expect(sentHeader({ host: {}, headers }, name)).toBe(expected);
  });
});
