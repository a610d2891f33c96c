import { ConfigurationError, type ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { nearestName } from "../../base/errors/nearest-name.ts";

/** The rule for the value of an option of a dialect. */
export interface DialectOption {
  readonly accepts: (value: unknown) => boolean;
  /** What to give instead, such as "true or false". */
  readonly wanted: string;
  /** The reason why other values are refused. Default: the option cannot be this value. */
  readonly fault?: string;
}

/** The options of a dialect, each with its rule. Undefined passes each rule of an option that is not required. */
export type DialectOptions<Options> = {
  readonly [Name in keyof Options]-?: DialectOption & { readonly isRequired?: true };
};

/** An option that the dialect passes on to Kysely. */
export const PASSED_ON: DialectOption = { accepts: () => true, wanted: "" };

/** An option that switches something. */
export const SWITCH: DialectOption = { accepts: (value) => typeof value === "boolean", wanted: "true or false" };

/** Makes the rule of an option that is a whole number. @param wanted what to give instead of another value */
export function wholeNumber(least: number, most: number, wanted: string): DialectOption {
  return {
    accepts: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most,
    wanted,
  };
}

/** Makes the rule of an option that is one of some texts. @param wanted what to give instead of another value */
export function oneOf(texts: readonly string[], wanted: string): DialectOption {
  return { accepts: (value) => texts.some((text) => text === value), wanted };
}

/**
 * Checks the names and values of the options of a dialect.
 * @param dialect the name of the function that makes it
 * @param others the faults of its other arguments
 * @throws ConfigurationError with all faults
 * @see docs/guides/existing-databases.md, Connect
 */
export function checkDialect<Options extends object>(
  dialect: string,
  table: DialectOptions<Options>,
  options: Options,
  others: readonly ConfigurationFault[] = [],
): void {
  const names = Object.keys(table);
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(table, name));
  const faults = [...unknown.map((name) => faultOfName(name, names)), ...others];
  for (const [name, { accepts, wanted, fault, isRequired }] of Object.entries<DialectOptions<Options>[keyof Options]>(
    table,
  )) {
    const value: unknown = Reflect.get(options, name);
    if ((value === undefined && isRequired !== true) || accepts(value)) continue;
    faults.push({ message: fault ?? `\`${name}\` cannot be ${shown(value)}.`, fix: `Give ${wanted}.` });
  }
  if (faults.length === 0) return;
  throw new ConfigurationError(faults.map(({ message, fix }) => ({ message: `${dialect}: ${message}`, fix })));
}

/** Shows a value in the message of a fault. */
export function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

function faultOfName(name: string, names: readonly string[]): ConfigurationFault {
  const nearest = nearestName(name, names);
  const fix =
    nearest === null ? `Use ${names.map((each) => `\`${each}\``).join(", ")}.` : `Did you mean \`${nearest}\`?`;
  return { message: `there is no option \`${name}\`.`, fix };
}
