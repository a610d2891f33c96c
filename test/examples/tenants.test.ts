import { expect, test } from "vitest";
import { runModules } from "../house/module-runs.ts";

test("the example with a file per tenant reads the file of the user, and ends", () => {
  const path = "examples/tenants/files.ts";
  const run = runModules([path]).get(path);
  expect(run).toMatchObject({ failure: null, stdout: "200 first\n" });
});
