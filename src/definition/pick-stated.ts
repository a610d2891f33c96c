/** The options of these names that are stated. */
export function pickStated<Name extends string>(
  options: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}
