import { parseArgs } from "node:util";
import type { Command, Invocation } from "./command.ts";
import { didYouMean, usageProblem, type Problem } from "./problem.ts";
import { printable, redact } from "./redact.ts";

/** The arguments of a command. */
type GivenArguments = Pick<Invocation, "options" | "positionals">;

/** Reads the arguments of a command. An option whose value is optional takes it after `=` only. */
export function readArguments(command: Command, given: readonly string[]): GivenArguments | Problem {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, isValueOptional }]) => [
      name,
      {
        type: type === "boolean" || isValueOptional === true ? ("boolean" as const) : ("string" as const),
        multiple: true,
      },
    ]),
  );
  const { tokens } = parseArgs({ args: [...given], options, strict: false, allowPositionals: true, tokens: true });
  const found: Record<string, boolean | string | readonly string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const problem = takeOption(command, { name, rawName, value }, found);
    if (problem !== undefined) return problem;
  }
  const surplus = positionals[command.maxPositionals];
  if (surplus !== undefined) {
    return usageProblem(`${JSON.stringify(redact(surplus))} is one argument too many.`, usageOf(command));
  }
  return { positionals, options: found };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function takeOption(
  command: Command,
  { name, rawName, value }: OptionToken,
  found: Record<string, boolean | string | readonly string[]>,
): Problem | undefined {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (option === undefined) {
    const help = `Run \`odatakit ${command.name} --help\`.`;
    const fix = didYouMean(name, Object.keys(command.options), help, (nearest) => `\`--${nearest}\``);
    return usageProblem(`There is no option \`${printable(rawName)}\`.`, fix);
  }
  if (option.type === "boolean") {
    if (value !== undefined) return usageProblem(`\`--${name}\` has no value.`, `Write \`--${name}\` alone.`);
    found[name] = true;
    return undefined;
  }
  if (value === undefined || value === "") {
    if (option.isValueOptional !== true) {
      return usageProblem(`\`--${name}\` needs a value.`, `Write \`--${name} ${String(option.value)}\`.`);
    }
    found[name] = true;
    return undefined;
  }
  if (option.type === "list") {
    found[name] = [...((found[name] ?? []) as readonly string[]), value];
    return undefined;
  }
  if (found[name] !== undefined) return usageProblem(`\`--${name}\` is given twice.`, "Give it once.");
  found[name] = value;
  return undefined;
}

function usageOf({ name, positionals }: Command): string {
  return `Write \`${["odatakit", name, positionals].join(" ").trim()}\`.`;
}
