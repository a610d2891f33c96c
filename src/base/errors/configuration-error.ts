/** A fault of a declaration, found at startup. */
export interface ConfigurationFault {
  /** The entity set or type at fault, if any. */
  readonly set?: string | undefined;
  /** The route at fault, such as `/Orders({key})`. */
  readonly route?: string | undefined;
  /** The HTTP method of that route. */
  readonly method?: string | undefined;
  /** The property, by its field name, or the navigation at fault. */
  readonly property?: string | undefined;
  /** The table of the database at fault. */
  readonly table?: string | undefined;
  /** Its column. */
  readonly column?: string | undefined;
  /** The code of a finding of the schema check, such as `C02`. */
  readonly code?: string | undefined;
  /** The problem. */
  readonly message: string;
  /** The correction. */
  readonly fix: string;
}

/**
 * Thrown at startup, with all faults of the declarations.
 * @see docs/reference/errors.md
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly ConfigurationFault[];

  /** @param options as `cause`, the error that made the declarations unreadable; as `where`, the place of the faults */
  constructor(faults: readonly ConfigurationFault[], { where = "in its declarations", ...options }: FaultOptions = {}) {
    super(describeFaults(faults, where), options);
    this.faults = Object.freeze([...faults]);
  }
}

interface FaultOptions extends ErrorOptions {
  /** By default `in its declarations`. */
  readonly where?: string | undefined;
}

function describeFaults(faults: readonly ConfigurationFault[], where: string): string {
  const lines = faults.map((fault, index) => {
    const owner = [fault.set, fault.property].filter(Boolean).join(".");
    const place = [owner, [fault.method, fault.route].filter(Boolean).join(" ")].filter(Boolean).join(", ");
    return `  ${String(index + 1)}. ${place === "" ? "" : `${place}: `}${fault.message} ${fault.fix}`;
  });
  const noun = faults.length === 1 ? "1 fault" : `${String(faults.length)} faults`;
  return `The service cannot start: ${noun} ${where}.\n${lines.join("\n")}`;
}
