import { ConfigurationError, type ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { LONGEST_TIME } from "../../base/within-time.ts";
import { checkOptions, describe, isObject, type OptionTable } from "../../definition/option-table.ts";
import type { CompressionOptions, CompressionSettings } from "./compression.ts";

/** Where `serve` listens, and how long its connections may take. All times are milliseconds; null means no limit. */
export interface ListenOptions {
  /** The TCP port. With 0 the system chooses one. Default 3000. */
  readonly port?: number | undefined;
  /** The host name or address to listen on. Default `localhost`, which only this machine can reach. */
  readonly host?: string | undefined;
  /**
   * How long `close` still serves new connections and requests, while `ready` is 503 already: longer than a load balancer
   * needs to notice. Default 0.
   */
  readonly drainDelay?: number | undefined;
  /** How long `close` then waits for requests before it destroys their connections. Default 10,000. */
  readonly drainTimeout?: number | null | undefined;
  /** How long a client may take to send the request line and the headers. Default 20,000. */
  readonly headersTimeout?: number | null | undefined;
  /** How long a client may take to send a whole request, body included. Default 300,000. */
  readonly requestTimeout?: number | null | undefined;
  /** How long a connection stays open between two requests. Default 5,000. */
  readonly keepAliveTimeout?: number | null | undefined;
  /** How long a client may pause while a response waits to be read. Default 30,000. */
  readonly slowReaderTimeout?: number | null | undefined;
  /** Whether, and how, responses are compressed; they are not if absent. */
  readonly compression?: boolean | CompressionOptions | undefined;
  /** The path that reports that the process is alive, such as `/healthz`; none if absent. */
  readonly health?: string | undefined;
  /** The path that reports whether the databases can be reached, such as `/readyz`; none if absent. */
  readonly ready?: string | undefined;
}

type Timeouts = Extract<keyof ListenOptions, `drain${string}` | `${string}Timeout`>;
type Stated<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** The options of `serve` with defaults filled in. */
export interface ServeSettings extends Stated<Pick<ListenOptions, "port" | "host" | Timeouts>> {
  readonly compression: CompressionSettings | null;
  readonly health: string | undefined;
  readonly ready: string | undefined;
}

const TIME = { kind: "limit", least: 1 } as const;

const TABLE: OptionTable<keyof ListenOptions> = Object.freeze({
  port: { kind: "any" },
  host: { kind: "text" },
  drainDelay: { kind: "any" },
  drainTimeout: TIME,
  headersTimeout: TIME,
  requestTimeout: TIME,
  keepAliveTimeout: TIME,
  slowReaderTimeout: TIME,
  compression: { kind: "any" },
  health: { kind: "any" },
  ready: { kind: "any" },
});

const COMPRESSION: OptionTable<keyof CompressionOptions> = Object.freeze({
  threshold: { kind: "any" },
  credentials: { kind: "flag" },
});

const DEFAULTS: ServeSettings = Object.freeze({
  port: 3000,
  host: "localhost",
  drainDelay: 0,
  drainTimeout: 10_000,
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 5_000,
  slowReaderTimeout: 30_000,
  compression: null,
  health: undefined,
  ready: undefined,
});

const DEFAULT_COMPRESSION: CompressionSettings = Object.freeze({ threshold: 1024, credentials: false });

/** A path in its only form: with a leading slash, and without a query. */
const PATH = /^\/[\w.~!$&'()*+,;=:@/%-]*$/;

const MAX_PORT = 65_535;

const OWN_SERVER =
  "Let a proxy do TLS and HTTP/2, or pass toNodeHandler to createSecureServer of `node:http2` or `node:https`. See docs/guides/production.md, TLS and HTTP/2.";

/** The options that earlier versions had, each with the advice on what replaces it. */
const REMOVED = { table: {}, example: (name: string): string => name, removed: { tls: OWN_SERVER, http2: OWN_SERVER } };

/**
 * Fills in the defaults of `serve`.
 * @throws ConfigurationError listing all options that are unknown or invalid
 * @see docs/guides/deployment.md, Timeouts
 */
export function resolveServeOptions(options: ListenOptions): ServeSettings {
  const faults = [...findFaults(options)];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return { ...DEFAULTS, ...statedOf(options), compression: compressionOf(options.compression) };
}

function compressionOf(compression: ListenOptions["compression"] = false): CompressionSettings | null {
  if (compression === false) return null;
  return { ...DEFAULT_COMPRESSION, ...(compression === true ? {} : statedOf(compression)) };
}

/** Returns the options that are not undefined. */
function statedOf(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function* compressionFaults(compression: unknown): Iterable<ConfigurationFault> {
  if (compression === undefined || typeof compression === "boolean") return;
  if (!isObject(compression)) {
    const message = `\`compression\` of serve cannot be ${describe(compression)}.`;
    yield { message, fix: "Give true, false, or an object such as { threshold: 2048 }." };
    return;
  }
  yield* checkOptions(COMPRESSION, compression, "compression", {});
  const fix = "Give the number of bytes from which responses are compressed, 0 or more.";
  yield* numberFaults("`threshold` of compression", compression["threshold"], fix);
}

/** Checks a whole number from 0 on. */
function* numberFaults(
  name: string,
  value: unknown,
  fix: string,
  most = Number.MAX_SAFE_INTEGER,
): Iterable<ConfigurationFault> {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most)) return;
  yield { message: `${name} cannot be ${describe(value)}.`, fix };
}

function* pathFaults(name: string, path: unknown): Iterable<ConfigurationFault> {
  if (path === undefined || (typeof path === "string" && PATH.test(path))) return;
  const message = `\`${name}\` of serve cannot be ${describe(path)}.`;
  yield { message, fix: `Give a path with a leading slash and without a query, such as "/${name}z".` };
}

function* findFaults(options: unknown): Iterable<ConfigurationFault> {
  if (!isObject(options)) {
    yield { message: `The options of serve are ${describe(options)}.`, fix: "Give an object, such as { port: 8080 }." };
    return;
  }
  yield* checkOptions(TABLE, options, "serve", {}, REMOVED);
  const ports = `Give a whole number from 0 to ${String(MAX_PORT)}; 0 lets the system choose.`;
  yield* numberFaults("`port` of serve", options["port"], ports, MAX_PORT);
  const delays = "Give a whole number of milliseconds; 0 stops at once.";
  yield* numberFaults("`drainDelay` of serve", options["drainDelay"], delays);
  yield* compressionFaults(options["compression"]);
  yield* pathFaults("health", options["health"]);
  yield* pathFaults("ready", options["ready"]);
  for (const [name, value] of Object.entries(options)) {
    if (name === "port" || typeof value !== "number" || value <= LONGEST_TIME) continue;
    const message = `\`${name}\` of serve cannot be ${String(value)}: a timer waits at most ${String(LONGEST_TIME)} ms.`;
    yield { message, fix: "Give fewer milliseconds, or null for no limit." };
  }
}
