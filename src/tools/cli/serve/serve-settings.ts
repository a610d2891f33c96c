import type { DeclareOptions, DescribedSet, DescribedWarning } from "odatakit/introspect";
import { LONGEST_TIME } from "../../../base/within-time.ts";
import { readByteSize, sizeFix } from "../byte-size.ts";
import type { Invocation } from "../command.ts";
import { areProblems } from "../database-options.ts";
import { usageProblem, type Problem } from "../problem.ts";
import { redact } from "../redact.ts";
import { readSetRules, type SetRules } from "../set-rules.ts";
import { readOidcSettings, type OidcSettings } from "./oidc.ts";

/** The settings of `serve`, except the choice of tables. */
export interface ServeCommandSettings {
  readonly host: string;
  /** The ports to try in this order. */
  readonly ports: readonly number[];
  readonly prefix: string;
  readonly profile: "specification" | "standard";
  readonly rules: SetRules;
  /** Milliseconds. */
  readonly timeout: number;
  readonly pool: number;
  /** The most bytes of a body that requests write; null for the limit of the library. */
  readonly maxBody: number | null;
  /** The most bytes of the entities of a response; null for the limit of the library. */
  readonly maxResponse: number | null;
  /** The most bytes of the entities of all responses together; null for the limit of the library. */
  readonly maxHeld: number | null;
  /** The options of limits that differ from the default, apart from those of every banner. */
  readonly limits: readonly string[];
  readonly paging: "keyset" | "offset";
  /** The sets that requests may write; null for none. */
  readonly write: "all" | readonly string[] | null;
  readonly auth: "basic" | "key" | "oidc" | null;
  /** Whose tokens `--auth oidc` accepts; null for another way. */
  readonly oidc: OidcSettings | null;
  readonly isAnonymous: boolean;
  readonly trustsProxy: boolean;
  readonly origins: readonly string[];
  readonly hasOpenApi: boolean;
  readonly hasExplorer: boolean;
  /** The client id of the explorer at the issuer; null for none. */
  readonly clientId: string | null;
  /** Milliseconds between two checks of the schema; null for none. */
  readonly watch: number | null;
  readonly output: "json" | "quiet" | "text";
}

const FIRST_PORT = 3000;
const PORTS = 10;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "[::1]", "localhost"]);

/** Returns whether only this machine reaches a host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.toLowerCase());
}

/** Reads the settings of `serve`. @returns all their problems */
export function readServeSettings(invocation: Invocation): ServeCommandSettings | readonly Problem[] {
  const { options, environment } = invocation;
  const rules = readSetRules(invocation);
  const problems: Problem[] = [];
  if (areProblems(rules)) problems.push(...rules);
  const oidc = readOidcSettings(options);
  if (oidc !== null && areProblems(oidc)) problems.push(...oidc);
  const wrong = (name: string, value: string, fix: string): void => {
    problems.push(usageProblem(`\`--${name}\` is "${redact(value)}".`, fix));
  };
  const text = (name: string, usual: string): string => {
    const value = options[name];
    return typeof value === "string" ? value : usual;
  };
  const whole = (name: string, usual: number, most: number, least = 1, inEnvironment = String(usual)): number => {
    const given = text(name, inEnvironment);
    const value = Number(given);
    if (/^\d+$/.test(given) && value >= least && value <= most) return value;
    wrong(name, given, `Write a whole number from ${String(least)} to ${String(most)}.`);
    return usual;
  };
  const choice = <const Value extends string>(name: string, values: readonly Value[]): Value | null => {
    const given = options[name];
    if (given === undefined) return null;
    const found = values.find((value) => value === given);
    if (found === undefined) wrong(name, String(given), `Write ${values.join(" or ")}.`);
    return found ?? null;
  };
  const prefix = text("prefix", "/odata");
  if (!/^\/[\w~.-]+(?:\/[\w~.-]+)*$/.test(prefix)) wrong("prefix", prefix, "Write a path such as `/odata`.");
  const { PORT, HOST } = environment;
  const hasPort = options["port"] !== undefined || (PORT !== undefined && PORT !== "");
  const port = whole("port", FIRST_PORT, 65_535, 0, PORT === "" ? undefined : PORT);
  const host = text("host", HOST === undefined || HOST === "" ? "127.0.0.1" : HOST);
  const watch = text("watch", isLoopback(host) ? "10s" : "off");
  const settings: Omit<ServeCommandSettings, "rules"> = {
    host,
    ports: hasPort ? [port] : Array.from({ length: PORTS }, (_, at) => FIRST_PORT + at),
    prefix,
    profile: choice("profile", ["standard", "specification"]) ?? "standard",
    timeout: readTime("timeout", text("timeout", "10s"), wrong),
    watch: watch === "off" ? null : readTime("watch", watch, wrong),
    pool: whole("pool", 5, 1000),
    paging: choice("paging", ["keyset", "offset"]) ?? "keyset",
    ...sizesOf(options, wrong),
    limits: changedLimits(invocation),
    write: writeOf(options["write"], listOf(options["write"])),
    auth: choice("auth", ["key", "basic", "oidc"]),
    oidc: oidc === null || areProblems(oidc) ? null : oidc,
    isAnonymous: options["anonymous"] === true,
    trustsProxy: options["trust-proxy"] === true,
    origins: listOf(options["cors"]),
    hasOpenApi: options["no-openapi"] !== true,
    hasExplorer: options["no-explorer"] !== true,
    clientId: typeof options["client-id"] === "string" ? options["client-id"] : null,
    output: outputOf(options),
  };
  problems.push(...wrongHosts(settings), ...unsafeCombinations(settings));
  return problems.length > 0 || areProblems(rules) ? problems : { ...settings, rules };
}

/** The default of `--max-body` for services that accept writes. */
const MAX_BODY = 1_048_576;

/** Returns the limits in bytes. */
function sizesOf(
  options: Invocation["options"],
  wrong: (name: string, value: string, fix: string) => void,
): Pick<ServeCommandSettings, "maxBody" | "maxResponse" | "maxHeld"> {
  const size = (name: string): number | null => {
    const given = options[name];
    if (typeof given !== "string") return null;
    const bytes = readByteSize(name, given);
    if (bytes === null) wrong(name, given, sizeFix(name));
    return bytes;
  };
  const usual = (options["write"] ?? false) === false ? null : MAX_BODY;
  return { maxBody: size("max-body") ?? usual, maxResponse: size("max-response"), maxHeld: size("max-held") };
}

/** Returns the options of limits as they were given, unless every banner shows them. */
function changedLimits({ options, file }: Invocation): readonly string[] {
  const given = ["pool", "search", "max-body", "max-response", "max-held"].flatMap((name) => {
    const value = options[name];
    return typeof value !== "string" || value === LIMITS[name] ? [] : [`--${name} ${value}`];
  });
  const own = Object.keys(file["sets"] ?? {});
  return [
    ...given,
    ...(options["indexed-only"] === true ? ["--indexed-only"] : []),
    ...(own.length === 0 ? [] : [`"sets" of odatakit.json: ${own.join(", ")}`]),
  ];
}

const LIMITS: Readonly<Record<string, string>> = {
  pool: "5",
  search: "100000",
  "max-body": "1MiB",
  "max-response": "64MB",
};

function listOf(given: Invocation["options"][string]): readonly string[] {
  return Array.isArray(given) ? given.flatMap((each: string) => each.split(",")).map((each) => each.trim()) : [];
}

/** `--write` alone means all sets that can be written. */
function writeOf(given: Invocation["options"][string], names: readonly string[]): ServeCommandSettings["write"] {
  if (given === undefined || given === false) return null;
  return given === true ? "all" : names;
}

function outputOf(options: Invocation["options"]): ServeCommandSettings["output"] {
  if (options["json"] === true) return "json";
  return options["quiet"] === true ? "quiet" : "text";
}

/** Other mistakes are faults of the server and of the service, whose messages show host and origins. */
function wrongHosts({ host, origins }: Pick<ServeCommandSettings, "host" | "origins">): readonly Problem[] {
  const problem = (name: string, value: string, fix: string): Problem =>
    usageProblem(`\`--${name}\` is "${redact(value)}".`, fix);
  return [
    ...(/^[\w.:%[\]-]+$/.test(host) ? [] : [problem("host", host, "Write a name or address of this machine.")]),
    ...origins
      .filter((origin) => /[@\s]/.test(origin))
      .map((origin) => problem("cors", origin, "Write an origin such as `https://app.example`.")),
  ];
}

/** A database is never open to others, and never writable for everybody, by accident. */
function unsafeCombinations({
  host,
  auth,
  isAnonymous,
  write,
  trustsProxy,
  clientId,
}: Omit<ServeCommandSettings, "rules">): readonly Problem[] {
  const problems: Problem[] = [];
  if (!isLoopback(host) && auth === null && !isAnonymous) {
    problems.push(
      usageProblem(
        `Everybody who reaches ${redact(host)} could read the database.`,
        "Give `--auth key`, `basic` or `oidc`, or `--anonymous` if that is intended.",
      ),
    );
  }
  if (write !== null && auth === null) {
    problems.push(
      usageProblem("`--write` lets everybody change the database.", "Give `--auth key`, `basic` or `oidc`."),
    );
  }
  if (auth === "basic" && !isLoopback(host) && !trustsProxy) {
    problems.push(
      usageProblem(
        "`--auth basic` would send passwords without encryption.",
        "Put a proxy with TLS in front and give `--trust-proxy`, or listen on 127.0.0.1.",
      ),
    );
  }
  if (clientId !== null && auth !== "oidc") {
    problems.push(usageProblem("`--client-id` has no effect without `--auth oidc`.", "Remove it."));
  }
  if (auth !== null && isAnonymous) {
    problems.push(usageProblem("`--anonymous` and `--auth` exclude each other.", "Remove one of them."));
  }
  return problems;
}

function readTime(option: string, given: string, wrong: (name: string, value: string, fix: string) => void): number {
  const [, amount = "", unit = ""] = /^(\d{1,7})(ms|s|m)$/.exec(given) ?? [];
  const time = Number(amount) * (UNITS[unit] ?? 0);
  if (time >= 1 && time <= LONGEST_TIME) return time;
  const limit = `Write a time of at most ${String(LONGEST_TIME)}ms.`;
  wrong(option, given, time > LONGEST_TIME ? limit : "Write a time such as 500ms, 10s or 2m.");
  return 10_000;
}

/** The sets that requests may write. */
interface WrittenSets {
  readonly of: NonNullable<DeclareOptions["operations"]>;
  /** Returns a warning for each written set whose rows cannot be created. */
  readonly warnings: (sets: readonly DescribedSet[]) => readonly DescribedWarning[];
  /** Returns a problem for each name of `--write` that is not a writable set. */
  readonly unknown: (sets: readonly DescribedSet[]) => readonly Problem[];
}

/** Chooses the operations of each set by `--write`. Only tables with a primary key can be written. */
export function writtenOperations(write: ServeCommandSettings["write"]): WrittenSets {
  const isNamed = (name: string): boolean => write === "all" || (write?.includes(name) ?? false);
  return {
    of: (set) => {
      if (!isWritable(set) || !isNamed(set.setName)) return ["read"];
      return set.unsuppliedColumns.length > 0
        ? ["read", "replace", "patch", "delete"]
        : ["read", "create", "replace", "patch", "delete"];
    },
    warnings: (sets) =>
      sets
        .filter((set) => isWritable(set) && isNamed(set.setName) && set.unsuppliedColumns.length > 0)
        .map(({ setName, unsuppliedColumns }) => ({
          code: "no-create",
          place: setName,
          message: `accepts no new entities, because ${unsuppliedColumns.join(", ")} needs a value that no property supplies`,
          flag: null,
        })),
    unknown: (sets) => {
      if (write === null || write === "all") return [];
      return write.flatMap((name): readonly Problem[] => {
        const found = sets.find(({ setName }) => setName === name);
        if (found !== undefined && isWritable(found)) return [];
        const reason = found === undefined ? "is no entity set" : "has no primary key, or is a view";
        return [usageProblem(`\`--write=${name}\`: ${name} ${reason}.`, "`odatakit inspect` lists the entity sets.")];
      });
    },
  };
}

function isWritable({ kind, key, excludesNulls, excludes }: DescribedSet): boolean {
  return kind === "table" && key === "primary key" && excludesNulls.length === 0 && excludes.length === 0;
}
