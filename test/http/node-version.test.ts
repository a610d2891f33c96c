import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../src/base/errors/configuration-error.ts";
import { checkNodeVersion } from "../../src/hosts/adapters/check-node-version.ts";

describe("checkNodeVersion", () => {
  test.each<[Parameters<typeof checkNodeVersion>[0]]>([
    [{ node: "22.18.0" }],
    [{ node: "24.0.0" }],
    [{ node: "20.11.1", deno: "2.0.0" }],
    [{ node: "20.0.0", bun: "1.2.0" }],
    [{}],
  ])("accepts %o", (versions) => {
    expect(() => checkNodeVersion(versions)).not.toThrow();
  });

  test.each(["22.17.1", "20.20.2", "18.0.0"])("rejects Node.js %s with the version that is required", (node) => {
    const check = (): void => checkNodeVersion({ node });
    expect(check).toThrow(ConfigurationError);
    expect(check).toThrow("The service cannot start: 1 fault in its runtime.");
    expect(check).toThrow(`odatakit requires Node.js 22.18 or later. This is Node.js ${node}.`);
  });
});
