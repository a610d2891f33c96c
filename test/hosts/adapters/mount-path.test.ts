import { expect, test } from "vitest";
import { matchedPath, mountPathOf } from "../../../src/service/compose-services.ts";

test.each([
  ["", "", ""],
  ["", "/odata", ""],
  ["/odata", "/odata", ""],
  ["/api", "/odata", "/api"],
  ["/api", "", "/api"],
  ["/api/", "/odata", "/api/"],
  ["/api/odata", "/odata", "/api"],
  ["/api", "/api/odata", ""],
  ["/x/api", "/api/odata", "/x"],
  ["/odatas", "/odata", "/odatas"],
  ["/a/a", "/a/a/b", ""],
])("a service mounted at %j with the prefix %j follows %j", (hostPath, prefix, mountPath) => {
  expect(mountPathOf(hostPath, prefix)).toBe(mountPath);
});

test.each([
  ["/a/b?c=/d", "/:tenant", "/a"],
  ["/a%2Fb/c", "/:tenant", "/a%2Fb"],
  ["/a", "", ""],
  ["/a", "/a/b/c", "/a"],
])("of %j, the pattern %j matches %j", (path, pattern, matched) => {
  expect(matchedPath(path, pattern)).toBe(matched);
});
