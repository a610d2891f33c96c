import { stripTypeScriptTypes } from "node:module";
import { compileFunction } from "node:vm";
import * as odatakit from "odatakit";

/** The exports of a written module. */
export type Exports = Readonly<Record<string, unknown>>;

/** The arguments of a call of `sqlEntitySet`. */
export interface DeclaredSet {
  readonly type: unknown;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Runs a written module with the builders of odatakit, and returns its exports. `sqlEntitySet` returns its arguments, and
 * names from other modules are those of `others`, or empty objects.
 */
export function runModule(text: string, others: Exports = {}): Exports {
  const given = new Map<string, unknown>();
  const known: Exports = {
    ...odatakit,
    sqlEntitySet: (type: unknown, options: DeclaredSet["options"]): DeclaredSet => ({ type, options }),
    ...others,
  };
  const script = stripTypeScriptTypes(text)
    .replaceAll(/^import \{([^}]*)\} from "[^"\n]*";$/gm, (_all, list: string) => {
      for (const name of list.split(",").map((each) => each.trim())) {
        if (name !== "") given.set(name, known[name] ?? {});
      }
      return "";
    })
    .replaceAll(
      /^export const (\S+) = /gm,
      (_all, name: string) => `const ${name} = exported[${JSON.stringify(name)}] = `,
    );
  const exported: Record<string, unknown> = {};
  const run = compileFunction(script, ["exported", ...given.keys()]) as (...args: readonly unknown[]) => void;
  run(exported, ...given.values());
  return exported;
}
