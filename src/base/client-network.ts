/** The parts of a request that contain the address of its client. */
interface ClientFacts {
  /** Returns the value of a header by its lower-case name; undefined or null if it is absent. */
  readonly header: (name: string) => string | null | undefined;
  /** The address at the other end of the connection; undefined if the host does not know it. */
  readonly remoteAddress: string | undefined;
}

/**
 * Returns the address that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, since a client
 * chooses the other 64 itself.
 * @param trustsProxy whether to use the last address of X-Forwarded-For, or else of Forwarded
 * @see RFC 4291, section 2.5.1; RFC 7239, section 5.2
 */
export function clientNetwork({ header, remoteAddress = "" }: ClientFacts, trustsProxy: boolean): string {
  const forwarded = trustsProxy ? forwardedAddress(header) : undefined;
  return networkOf(forwarded ?? remoteAddress);
}

/** Returns the address that the nearest proxy saw: clients can write all addresses before it. */
function forwardedAddress(header: ClientFacts["header"]): string | undefined {
  const listed = header("x-forwarded-for")?.split(",").at(-1)?.trim();
  if (listed !== undefined && listed !== "") return listed;
  const hop = header("forwarded")?.split(",").at(-1) ?? "";
  return /(?:^|;)\s*for\s*=\s*"?(?<address>[^";\s]+)/i.exec(hop)?.groups?.["address"];
}

/** Returns the network of an address, which may have a port, or a zone. */
function networkOf(given: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(given)?.[1] ?? /^([\d.]+):\d+$/.exec(given)?.[1] ?? given;
  const url = `http://[${address.replace(/%.*$/s, "")}]/`;
  if (!address.includes(":") || !URL.canParse(url)) return address;
  const [head = "", tail = ""] = new URL(url).hostname.slice(1, -1).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const between = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...between, ...after];
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return groups.slice(6).flatMap(bytesOf).join(".");
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(":");
}

/** Returns the two bytes of a group. An IPv4 address can be written as IPv6. @see RFC 4291, section 2.5.5.2 */
function bytesOf(group: string): readonly number[] {
  const number = Number.parseInt(group, 16);
  return [number >> 8, number & 0xff];
}
