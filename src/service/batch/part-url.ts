import { protocolError, type ODataError } from "../../base/errors/odata-error.ts";
import { REQUEST_ID_SYNTAX } from "./batch-request.ts";

/** The origin of the URLs that the operations of a batch may use. */
export interface BatchOrigin {
  /** Everything before the prefix, as clients know it, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** The Host header of the batch. */
  readonly host: string;
  /** The path of the base URL, which a proxy or the host removes; empty without one. */
  readonly publicPath: string;
  /** The path of the service, without a trailing slash; empty for the root. */
  readonly prefix: string;
  /** Whether a reference may follow a slash, as in `/$1`. */
  readonly takesSlashedReferences: boolean;
}

/**
 * Returns the URL of the entity that an operation created, read or changed.
 * @param id the id of the operation, without the dollar sign
 * @throws ODataError if no earlier operation of that id succeeded
 */
type Dereference = (id: string) => string;

const SCHEME = /^([a-z][a-z\d+.-]*):/i;
const AUTHORITY = /^https?:\/\/[^/?#\\]*/i;
/** First segments that start with a dollar sign, but are not references. @see OData URL Conventions 4.0, section 4 */
const SYSTEM_SEGMENTS: ReadonlySet<string> = new Set("$metadata $batch $entity $all $crossjoin $root $id".split(" "));

/**
 * Returns the path and query of an operation: of a URL with this authority, of an absolute path, or of a path relative to
 * the service root, each possibly after a reference. An absolute path outside of the prefix is relative to the root, too.
 * @throws ODataError `InvalidUrl` for a URL of another service, `NotFound` for `$batch`; the error of `dereference`
 * @see OData Protocol 4.0, section 11.7.2
 */
function toTarget(url: string, origin: BatchOrigin, dereference: Dereference): string {
  const sent = encodeBlanks(url);
  const whole = replaceReference(sent, origin, dereference);
  if (whole.includes("#")) throw refusedUrl("The URL contains #: encode it as %23.");
  const local = withoutAuthority(whole, origin);
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  const query = mark < 0 ? "" : local.slice(mark);
  const below = withoutDots(belowPrefix(path, origin), origin.prefix);
  const { prefix } = origin;
  const rest = below.slice(prefix.length);
  if (NESTED.test(rest)) {
    throw protocolError("NotFound", "A batch cannot contain a batch.", { target: "url" });
  }
  return below + query;
}

/** The path of a batch below the prefix, or below an entity set. */
const NESTED = /^(?:\/[^/]*)?\/(?:\$|%24)batch(?:\/|$)/;

/** Encodes blanks, which clients forget, and refuses control characters. */
function encodeBlanks(url: string): string {
  // oxlint-disable-next-line no-control-regex -- it finds the characters that no URL may contain
  if (/[\0-\x1f\x7f]/.test(url)) throw refusedUrl("The URL contains a control character: encode it.");
  return url.trim().replaceAll(" ", "%20");
}

/** Replaces a first segment such as `$1` by the URL that it refers to. */
function replaceReference(url: string, origin: BatchOrigin, dereference: Dereference): string {
  const start = origin.takesSlashedReferences && url.startsWith("/") && !isOwnPath(url, origin) ? 1 : 0;
  const sent = url.slice(start);
  if (!sent.startsWith("$")) return url;
  const end = sent.search(/[/?#(]/);
  const segment = end < 0 ? sent : sent.slice(0, end);
  if (SYSTEM_SEGMENTS.has(segment) || sent[end] === "(" || segment.includes("=")) return url;
  return dereference(segment.slice(1)) + sent.slice(segment.length);
}

/** Returns whether an absolute path begins with the path of the service, which may itself begin with a dollar sign. */
function isOwnPath(url: string, { publicPath, prefix }: BatchOrigin): boolean {
  const path = url.replace(/[?#].*$/s, "");
  return [prefix, publicPath + prefix].some((own) => own !== "" && isBelow(path, own));
}

/** Removes scheme and authority, which must be those of the batch. The scheme may differ, because proxies end TLS. */
function withoutAuthority(url: string, { baseUrl, host }: BatchOrigin): string {
  if (url.startsWith("//") || url.startsWith("/\\")) throw outside();
  const [authority] = AUTHORITY.exec(url) ?? [];
  if (authority === undefined) {
    if (SCHEME.test(url)) throw outside();
    return url;
  }
  const found = authorityOf(authority);
  const scheme = authority.slice(0, authority.indexOf(":"));
  const isOwn = found === authorityOf(baseUrl) || found === authorityOf(`${scheme}://${host}`);
  if (found === null || !isOwn) throw outside();
  const rest = url.slice(authority.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Returns host and port, without the default port of the scheme; null for an authority with a user, or a malformed one. */
function authorityOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { host, username, password } = new URL(url);
  return username === "" && password === "" ? host : null;
}

/** Returns the path with the prefix of the service. */
function belowPrefix(path: string, { publicPath, prefix }: BatchOrigin): string {
  if (publicPath !== "" && isBelow(path, publicPath + prefix)) return path.slice(publicPath.length);
  if (isBelow(path, prefix)) return path === "" ? "/" : path;
  return path.startsWith("/") ? prefix + path : `${prefix}/${path}`;
}

function isBelow(path: string, prefix: string): boolean {
  if (prefix === "") return path.startsWith("/");
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Removes the segments `.` and `..`, which must not leave the service. @see RFC 3986, section 5.2.4 */
function withoutDots(path: string, prefix: string): string {
  const segments = path.slice(prefix.length).split("/");
  if (!segments.some((segment) => segment === "." || segment === "..")) return path;
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "..") {
      // The first segment is the empty one before the first slash.
      if (kept.length <= 1) throw outside();
      kept.pop();
    } else if (segment !== ".") {
      kept.push(segment);
    }
    if (isLast && (segment === "." || segment === "..")) kept.push("");
  }
  return prefix + kept.join("/");
}

function outside(): Error {
  return refusedUrl(
    "The URL leads to another service: operations of a batch are requests to the service of the batch.",
  );
}

/** The URLs that the operations of a batch refer to by `$` and the id of an earlier operation. */
export class BatchUrls {
  readonly #origin: BatchOrigin;
  readonly #broken: (id: string) => ODataError;
  /** By id, absolute. */
  readonly #known: Map<string, string>;
  /** The URLs of a change set that is not complete. */
  readonly #pending = new Map<string, string>();
  readonly #failed = new Set<string>();

  /** @param broken makes the error for a reference to an operation that failed or does not exist */
  constructor(origin: BatchOrigin, broken: (id: string) => ODataError, known: ReadonlyMap<string, string> = new Map()) {
    this.#origin = origin;
    this.#broken = broken;
    this.#known = new Map(known);
  }

  /**
   * Stores the URL of an operation.
   * @param id undefined for an operation that nothing can refer to
   * @param url an absolute URL, or an absolute path
   */
  note(id: string | undefined, url: string): void {
    if (id !== undefined) this.#pending.set(id, url.startsWith("/") ? this.#origin.baseUrl + url : url);
  }

  /** Keeps the URLs of operations that succeeded. */
  keep(): void {
    for (const [id, url] of this.#pending) this.#known.set(id, url);
    this.#pending.clear();
  }

  /** Forgets the URLs of operations that are undone. */
  restart(): void {
    this.#pending.clear();
  }

  /** Remembers that an operation or a change set failed. */
  fail(id: string | undefined): void {
    if (id !== undefined) this.#failed.add(id);
  }

  hasFailed(id: string): boolean {
    return this.#failed.has(id);
  }

  /** Returns the URLs for operations that are planned, but not executed. */
  planning(): BatchUrls {
    return new BatchUrls(this.#origin, this.#broken, this.#known);
  }

  /** Returns the path and query of an operation. @throws ODataError as for `toTarget` */
  targetOf(url: string): string {
    return toTarget(url, this.#origin, (id) => this.#find(id));
  }

  /**
   * Returns the URL that a whole text such as `$1` refers to; any other text as it is.
   * @throws ODataError for a reference to an operation that failed or does not exist
   */
  resolve(text: string): string {
    const id = text.startsWith("$") ? text.slice(1) : "";
    return REQUEST_ID_SYNTAX.test(id) ? this.#find(id) : text;
  }

  #find(id: string): string {
    const url = this.#pending.get(id) ?? this.#known.get(id);
    if (url === undefined) throw this.#broken(id);
    return url;
  }
}

/** Makes the error for a URL that an operation may not have. @param problem the fault, and the correct form */
function refusedUrl(problem: string): ODataError {
  return protocolError("InvalidUrl", problem, { target: "url" });
}
