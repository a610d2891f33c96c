import { statSync } from "node:fs";
import { basename } from "node:path";
import { unindexedWarnings, type DescribedSet, type DescribedWarning } from "odatakit/introspect";
import type { LoadedDatabase } from "../load-database.ts";
import type { OpenedDatabase } from "../open-database.ts";
import { printable } from "../redact.ts";
import { groupWarnings } from "../warning-groups.ts";
import type { ServeCommandSettings } from "./serve-settings.ts";

/** The facts that the banner shows. */
interface BannerFacts {
  /** The root of the service. */
  readonly url: string;
  readonly settings: ServeCommandSettings;
  readonly loaded: LoadedDatabase;
  readonly version: string;
  /** Milliseconds from the start of the command. */
  readonly ms: number;
  readonly hasOwnSecret: boolean;
  /** Warnings about the user of the database. */
  readonly warnings: readonly DescribedWarning[];
}

const MOST_WARNINGS = 8;

/** Returns the lines that `serve` prints when it listens. */
export function bannerLines(facts: BannerFacts): readonly string[] {
  const { url, settings, loaded, version, ms, hasOwnSecret } = facts;
  const { opened, found } = loaded;
  const { sets } = found.described;
  const properties = sets.reduce((sum, set) => sum + set.properties.length, 0);
  const navigations = sets.reduce((sum, set) => sum + set.navigations.length, 0);
  const mode = settings.write === null ? "read-only" : "writable";
  const fileName = fileNameOf(opened);
  const shown = printable(opened.shown);
  return [
    `  odatakit ${version} · ${found.schema.product} · ${shown} (${sizeOf(loaded)}${mode}) · ready in ${String(ms)} ms`,
    ...(settings.hasExplorer ? [`  Explorer  ${url}/explorer`] : []),
    `  Service   ${url}`,
    `  Excel     ${url}/${fileName}.odc`,
    `  Power BI  ${url}/${fileName}.pbids`,
    ...(settings.hasOpenApi ? [`  OpenAPI   ${url}/openapi.json`] : []),
    `  ${counted(sets.length, "entity set")}, ${counted(properties, "property", "properties")}, ${counted(navigations, "navigation")}. ${accessOf(settings)}; ${String(settings.rules.maxTop)} rows a page, ${String(settings.timeout / 1000)} s a query.`,
    ...limitLines(settings),
    ...leftOutLines(sets),
    ...(settings.paging === "keyset" && !hasOwnSecret
      ? ["  Next links end with this process, unless ODATAKIT_SECRET is set."]
      : []),
    ...warningLines(bannerWarnings({ warnings: facts.warnings, settings, found })),
    ...tryLines(url, sets),
    `  Eject  npx odatakit pull ${shown.includes("***") ? "<db>" : asArgument(shown)} --out src/model`,
    `  Stop   Ctrl+C`,
  ];
}

/** Returns all warnings of the command about the database, which the explorer shows, too. */
export function bannerWarnings({
  warnings,
  settings: { rules },
  found,
}: Pick<BannerFacts, "warnings" | "settings"> & Pick<LoadedDatabase, "found">): readonly DescribedWarning[] {
  return [...warnings, ...found.warnings, ...(rules.indexedOnly ? unindexedWarnings(found.described) : [])];
}

/** Returns the limits that differ from the default and that no other line shows, as options to paste. */
function limitLines({ limits }: ServeCommandSettings): readonly string[] {
  return limits.length === 0 ? [] : [`  Limits    ${printable(limits.join(" "))}`];
}

/** Counts the rows that no request can read. */
function leftOutLines(sets: readonly DescribedSet[]): readonly string[] {
  const partial = sets.filter(({ leftOutRows }) => leftOutRows !== 0);
  if (partial.length === 0) return [];
  const known = partial.reduce((sum, { leftOutRows }) => sum + (leftOutRows ?? 0), 0);
  const more = partial.some(({ leftOutRows }) => leftOutRows === null) ? " or more" : "";
  return [`  ${counted(known, "row")}${more} of ${counted(partial.length, "entity set")} left out, without a key.`];
}

/** Returns a text as one argument of a command, ready to paste. */
function asArgument(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `"${text.replaceAll(/["$`]/g, String.raw`\$&`)}"`;
}

/** Returns a request that shows a navigation, if there is one to one entity. */
function tryLines(url: string, sets: readonly DescribedSet[]): readonly string[] {
  const toOne = (set: DescribedSet) => set.navigations.find(({ cardinality }) => cardinality !== "many");
  const set = sets.find((each) => toOne(each) !== undefined) ?? sets[0];
  if (set === undefined) return [];
  const expand = toOne(set)?.name;
  return [`  Try    curl "${url}/${set.setName}?\\$top=3${expand === undefined ? "" : `&\\$expand=${expand}`}"`];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

function sizeOf({ opened }: LoadedDatabase): string {
  if (opened.file === null) return "";
  const { size } = statSync(opened.file, { throwIfNoEntry: false }) ?? { size: 0 };
  return size < 1_000_000 ? `${String(Math.ceil(size / 1000))} kB, ` : `${(size / 1_000_000).toFixed(1)} MB, `;
}

function accessOf({ auth, isAnonymous, write }: ServeCommandSettings): string {
  const what = write === null ? "read access" : "read and write access";
  if (auth === "key") return `${what} with an API key`;
  if (auth === "oidc") return `${what} with a token`;
  if (auth === "basic") return `${what} with a password`;
  return isAnonymous ? `Anonymous ${what}` : `Anonymous ${what} from this machine`;
}

/** The places of a group that the banner names. */
const MOST_SECRETS = 12;

/**
 * Groups warnings by cause, the most severe first: the first place of a group represents the others. Hidden columns are named,
 * because users would not notice that a column is missing.
 */
function warningLines(warnings: readonly DescribedWarning[]): readonly string[] {
  if (warnings.length === 0) return [];
  const groups = groupWarnings(warnings);
  const shown = groups.slice(0, MOST_WARNINGS).map((group) => group.warnings);
  const hidden = groups.length - shown.length;
  return [
    `  ${counted(warnings.length, "warning")}`,
    ...shown.map(([first, ...more]) => {
      if (first === undefined) return "";
      const named = [first, ...more.slice(0, first.code === "secret" ? MOST_SECRETS - 1 : 0)].map(({ place }) => place);
      const rest = 1 + more.length - named.length;
      const place = `${named.join(", ")}${rest === 0 ? "" : ` and ${String(rest)} more`}`;
      return `    ${printable(`${place}  ${first.message}${first.flag === null ? "" : `  → ${first.flag}`}`)}`;
    }),
    ...(hidden > 0 ? [`    ${counted(hidden, "other kind")}: \`odatakit inspect\` lists all`] : []),
  ];
}

/** Returns the name of a database for files: that of its file or folder, or the last part of its URL. */
export function fileNameOf({ file, shown }: Pick<OpenedDatabase, "file" | "shown">): string {
  const path = file ?? (URL.canParse(shown) ? new URL(shown).pathname : shown);
  const name = basename(path.replaceAll("\\", "/")).replace(/\.(?:db3?|sqlite3?)$/i, "");
  const plain = name
    .replaceAll(/[^\w.-]+/g, "_")
    .replace(/^\.+/, "")
    .slice(0, 100);
  return plain === "" ? "service" : plain;
}
