import { expect, test } from "vitest";
import { chooseCoding } from "../../../src/hosts/adapters/compression.ts";
import { processorTime } from "../../processor-time.ts";

const AVAILABLE = ["zstd", "br", "gzip"] as const;
const free = (coding: string) => ({ coding, isRequired: false });
const required = (coding: string) => ({ coding, isRequired: true });

test.each<[header: string | undefined, chosen: unknown]>([
  [undefined, free("identity")],
  ["", free("identity")],
  ["gzip", free("gzip")],
  ["GZIP", free("gzip")],
  ["x-gzip", free("gzip")],
  ["gzip, deflate, br, zstd", free("zstd")],
  ["gzip, deflate, br", free("br")],
  ["gzip;q=1.0, br;q=0.5", free("gzip")],
  ["gzip;q=0.2, br;q=0.8;x=1, zstd;q=0", free("br")],
  ["deflate", free("identity")],
  ["compress, deflate;q=0.1", free("identity")],
  ["gzip;q=0", free("identity")],
  ["identity", free("identity")],
  ["identity, gzip;q=0.5", free("identity")],
  ["identity;q=0.5, gzip", free("gzip")],
  ["identity, gzip", free("gzip")],
  ["*", free("zstd")],
  ["*;q=0.5, gzip", free("gzip")],
  ["*, zstd;q=0, br;q=0", free("gzip")],
  ["gzip, *;q=0", required("gzip")],
  ["identity;q=0, gzip", required("gzip")],
  ["identity;q=0, *", required("zstd")],
  ["*;q=0", null],
  ["identity;q=0", null],
  ["identity;q=0, deflate", null],
  ["identity;q=0.000, gzip;q=0.0", null],
  ["*;q=0, identity", free("identity")],
  ["gzip;q=2, br;q=-1, zstd;q=x", free("identity")],
  ["gzip;q=0.1234", free("identity")],
  [",,, gzip ,,", free("gzip")],
  [`${"x,".repeat(40)}gzip`, free("identity")],
])("%s", (header, chosen) => {
  expect(chooseCoding(header, AVAILABLE)).toEqual(chosen);
});

test("long headers take little time", () => {
  const start = processorTime();
  chooseCoding(`${"gzip;q=0.5,".repeat(100_000)}${";".repeat(1_000_000)}`, AVAILABLE);
  expect(processorTime() - start).toBeLessThan(5000);
});
