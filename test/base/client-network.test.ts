import { describe, expect, test } from "vitest";
import { clientNetwork } from "../../src/base/client-network.ts";

const from = (remoteAddress: string | undefined, sent: Readonly<Record<string, string>> = {}) => ({
  header: (name: string) => sent[name],
  remoteAddress,
});

describe("the address of a connection", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:0DB8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["/tmp/socket", "/tmp/socket"],
    [undefined, ""],
  ])("%j counts as %j", (address, network) => {
    expect(clientNetwork(from(address), false)).toBe(network);
    expect(clientNetwork(from(address), true)).toBe(network);
  });
});

describe("forwarded addresses", () => {
  test.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ "x-forwarded-for": "203.0.113.9, 192.0.2.1" }, "192.0.2.1"],
    [{ "x-forwarded-for": "192.0.2.1:4711" }, "192.0.2.1"],
    [{ "x-forwarded-for": "[2001:db8::1]:4711" }, "2001:db8:0:0::/64"],
    [{ "x-forwarded-for": "2001:db8::1" }, "2001:db8:0:0::/64"],
    [{ "x-forwarded-for": "" }, "10.0.0.1"],
    [{ forwarded: "for=203.0.113.9, proto=https; For=192.0.2.1;by=10.0.0.1" }, "192.0.2.1"],
    [{ forwarded: 'for="[2001:db8::1]:4711"' }, "2001:db8:0:0::/64"],
    [{ forwarded: "for=unknown" }, "unknown"],
    [{ forwarded: "for=203.0.113.9, proto=https" }, "10.0.0.1"],
    [{ forwarded: "for=203.0.113.9", "x-forwarded-for": "192.0.2.1" }, "192.0.2.1"],
    [{}, "10.0.0.1"],
  ])("of %j", (sent, network) => {
    expect(clientNetwork(from("10.0.0.1", sent), true)).toBe(network);
    expect(clientNetwork(from("10.0.0.1", sent), false)).toBe("10.0.0.1");
  });
});
