/** The place that the message of a fault names. */
export interface PlaceOfFault {
  /** `$filter`, `@p`, … */
  readonly option: string;
  /** Offset in the decoded value of the option. */
  readonly position: number;
  /** The message without the place. */
  readonly message: string;
}

/**
 * Finds the place that a message of the service or of the grammar names, such as `$filter at position 8: …`.
 * @returns null without a place
 */
export function placeOfFault(text: string): PlaceOfFault | null {
  const [, option = "", position = "", message = ""] = /^([$@]\w+) at position (\d+): (.*)$/su.exec(text) ?? [];
  if (option !== "") return { option, position: Number(position), message };
  const [, rest = "", behind = "", nested = ""] = /^(.*) \(position (\d+) of (\$\w+)\)$/su.exec(text) ?? [];
  return nested === "" ? null : { option: nested, position: Number(behind), message: rest };
}
