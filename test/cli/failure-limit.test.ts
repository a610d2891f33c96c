import { expect, test } from "vitest";
import { FailureLimit } from "../../src/cli/serve/failure-limit.ts";

const from = (remoteAddress: string, forwarded?: string) => ({
  headers: new Headers(forwarded === undefined ? {} : { "X-Forwarded-For": forwarded }),
  host: { socket: { remoteAddress } } as never,
});

test("ten failures of one address in a minute are enough", async () => {
  let now = 0;
  const limit = new FailureLimit(false, () => now);
  const fail = (address: string): Promise<unknown> => limit.guard(from(address), "sent", () => null);
  for (let at = 0; at < 10; at += 1) await fail("a");
  await expect(fail("a")).rejects.toMatchObject({ status: 429 });
  expect(await fail("b")).toBeNull();
  expect(await limit.guard(from("a"), null, () => null)).toBeNull();
  now = 60_000;
  expect(await fail("a")).toBeNull();
});

test("behind a proxy, the forwarded address counts", async () => {
  const limit = new FailureLimit(true, () => 0);
  for (let at = 0; at < 10; at += 1) await limit.guard(from("proxy", "x, a"), "sent", () => null);
  await expect(limit.guard(from("proxy", "y, a"), "sent", () => null)).rejects.toMatchObject({ status: 429 });
  expect(await limit.guard(from("proxy", "a, b"), "sent", () => "ada")).toBe("ada");
  expect(await limit.guard(from("proxy"), "sent", () => "ada")).toBe("ada");
});

test("the number of addresses is limited", async () => {
  const limit = new FailureLimit(false, () => 0);
  for (let at = 0; at < 10; at += 1) await limit.guard(from("first"), "sent", () => null);
  for (let at = 0; at < 10_000; at += 1) await limit.guard(from(`address ${String(at)}`), "sent", () => null);
  expect(await limit.guard(from("first"), "sent", () => "ada")).toBe("ada");
});
