import { describe, expect, test } from "vitest";
import { FailureLimit } from "../../../src/tools/cli/serve/failure-limit.ts";

type Find = Parameters<FailureLimit["guard"]>[2];

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) => ({
  headers: new Headers(headers),
  host: { socket: { remoteAddress } } as never,
});

const wrong: Find = () => null;
const right: Find = () => "ada";

function open({ trustsProxy = false, now = (): number => 0 } = {}) {
  const warnings: string[] = [];
  const limit = new FailureLimit(trustsProxy, now, (message) => warnings.push(message));
  const guess = async (address: string | undefined, sent: string, find: Find): Promise<unknown> => {
    try {
      return await limit.guard(from(address), sent, find);
    } catch (error) {
      return (error as { readonly status: number }).status;
    }
  };
  const lock = async (address: string | undefined): Promise<void> => {
    for (let at = 0; at < 10; at += 1) expect(await guess(address, "wrong", wrong)).toBeNull();
  };
  return { limit, warnings, guess, lock };
}

/** A check that ends when the test says so. */
function slowCheck() {
  const begun: unknown[] = [];
  const ends = new Map<unknown, (user: string | null) => void>();
  const find: Find = (sent) =>
    new Promise((resolve) => {
      begun.push(sent);
      ends.set(sent, resolve);
    });
  const end = async (sent: unknown, user: string | null): Promise<void> => {
    ends.get(sent)?.(user);
    await new Promise(setImmediate);
  };
  return { begun, find, end };
}

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `guess ${String(at)}`);

describe("wrong credentials one after another", () => {
  test("ten of one address in a minute are enough", async () => {
    let now = 0;
    const { limit, guess, lock } = open({ now: () => now });
    await lock("a");
    await expect(limit.guard(from("a"), "sent", right)).rejects.toMatchObject({
      status: 429,
      code: "TooManyRequests",
      headers: { "Retry-After": "60" },
    });
    expect(await guess("b", "sent", wrong)).toBeNull();
    expect(await limit.guard(from("a"), null, right)).toBeNull();
    now = 59_001;
    await expect(limit.guard(from("a"), "sent", right)).rejects.toMatchObject({ headers: { "Retry-After": "1" } });
    now = 60_000;
    expect(await guess("a", "sent", right)).toBe("ada");
    await lock("a");
    expect(await guess("a", "sent", right)).toBe(429);
  });

  test("the addresses of one IPv6 network count together", async () => {
    const { guess } = open();
    for (let at = 0; at < 10; at += 1) expect(await guess(`2001:db8::${String(at)}`, "sent", wrong)).toBeNull();
    expect(await guess("2001:db8::ffff", "sent", right)).toBe(429);
    expect(await guess("2001:db8:0:1::", "sent", right)).toBe("ada");
  });

  test("behind a trusted proxy, the forwarded address counts", async () => {
    const { limit } = open({ trustsProxy: true });
    const behind = (forwarded: string) => from("proxy", { "X-Forwarded-For": forwarded });
    for (let at = 0; at < 10; at += 1) await limit.guard(behind("x, a"), "sent", wrong);
    await expect(limit.guard(behind("y, a"), "sent", wrong)).rejects.toMatchObject({ status: 429 });
    expect(await limit.guard(behind("a, b"), "sent", right)).toBe("ada");
    expect(await limit.guard(from("proxy"), "sent", right)).toBe("ada");
  });

  test("the number of addresses is limited", async () => {
    const { guess, lock } = open();
    await lock("first");
    for (let at = 0; at < 10_000; at += 1) await guess(`address ${String(at)}`, "sent", wrong);
    expect(await guess("first", "sent", right)).toBe("ada");
  });

  test("an address whose credentials are being checked is never forgotten", async () => {
    const { guess } = open();
    const { find, end } = slowCheck();
    const waiting = numbered(10_000).map((address) => guess(address, address, find));
    expect(await guess("another", "sent", right)).toBe(429);
    for (const address of numbered(10_000)) void end(address, "ada");
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["ada"]));
    expect(await guess("another", "sent", right)).toBe("ada");
  });

  test("a check that fails does not count", async () => {
    const { guess } = open();
    const broken: Find = () => Promise.reject(Object.assign(new Error("unreachable"), { status: 503 }));
    for (let at = 0; at < 20; at += 1) expect(await guess("a", "sent", broken)).toBe(503);
    expect(await guess("a", "sent", right)).toBe("ada");
  });
});

describe("credentials in parallel", () => {
  test.each([0, 8, 9])("the right guess among 120 is 429 after %i failures", async (failures) => {
    const { guess } = open();
    for (let at = 0; at < failures; at += 1) await guess("a", "wrong", wrong);
    let checked = 0;
    const find: Find = async (sent) => {
      checked += 1;
      await new Promise(setImmediate);
      return sent === "right" ? "ada" : null;
    };
    const answers = await Promise.all([...numbered(119), "right"].map((sent) => guess("a", sent, find)));
    expect(checked).toBe(10 - failures);
    expect(answers).toEqual([
      ...Array.from({ length: 10 - failures }, () => null),
      ...Array.from({ length: 110 + failures }, () => 429),
    ]);
  });

  test("two checks of an address run at once, and others wait", async () => {
    const { guess } = open();
    const { begun, find, end } = slowCheck();
    const users = ["ada", "bob", "eve"];
    const answers = users.map((user) => guess("a", user, find));
    const other = guess("b", "dan", find);
    expect(begun).toEqual(["ada", "bob", "dan"]);
    await end("bob", "bob");
    expect(begun).toEqual(["ada", "bob", "dan", "eve"]);
    for (const user of ["ada", "eve", "dan"]) await end(user, user);
    expect(await Promise.all([...answers, other])).toEqual([...users, "dan"]);
  });

  test("right credentials of 100 users of one address all pass, and each check returns its attempt", async () => {
    const { guess } = open();
    const find: Find = (sent) => Promise.resolve(`user of ${String(sent)}`);
    const answers = await Promise.all(numbered(100).map((sent) => guess("a", sent, find)));
    expect(answers).toEqual(numbered(100).map((sent) => `user of ${sent}`));
  });

  test("requests with the same credentials share one check", async () => {
    const { limit } = open();
    const { begun, find, end } = slowCheck();
    const sent = { name: "ada", password: "pässword" };
    const answers = Array.from({ length: 500 }, () => limit.guard(from("a"), { ...sent }, find));
    expect(begun).toHaveLength(1);
    await end(begun[0], "ada");
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 500 }, () => "ada"));
  });

  test("above a hundred that wait, credentials are 429 at once", async () => {
    const { limit, guess } = open();
    const { find, end } = slowCheck();
    const waiting = numbered(102).map((sent) => guess("a", sent, find));
    await expect(limit.guard(from("a"), "one more", find)).rejects.toMatchObject({
      status: 429,
      headers: { "Retry-After": "1" },
    });
    for (const sent of numbered(102)) await end(sent, "ada");
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["ada"]));
  });
});

describe("a proxy without --trust-proxy", () => {
  test("the first 429 says so if all requests came from one address", async () => {
    const { guess, lock, warnings } = open();
    await lock("10.0.0.1");
    expect(warnings).toEqual([]);
    for (let at = 0; at < 3; at += 1) expect(await guess("10.0.0.1", "sent", right)).toBe(429);
    expect(warnings).toEqual([
      "Wrong credentials led to 429, and all requests so far came from the address 10.0.0.1. " +
        "If a proxy forwards them, start with `--trust-proxy`; otherwise one client locks out all the others.",
    ]);
  });

  test("nothing is said if another address sent a request, with or without credentials", async () => {
    const { limit, guess, lock, warnings } = open();
    await limit.guard(from("10.0.0.2"), null, right);
    await lock("10.0.0.1");
    expect(await guess("10.0.0.1", "sent", right)).toBe(429);
    expect(warnings).toEqual([]);
  });

  test("nothing is said with --trust-proxy", async () => {
    const { guess, lock, warnings } = open({ trustsProxy: true });
    await lock("10.0.0.1");
    expect(await guess("10.0.0.1", "sent", right)).toBe(429);
    expect(warnings).toEqual([]);
  });
});
