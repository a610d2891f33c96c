/** One fault of a declaration, found at startup. */
export interface ConfigurationFault {
  /** The entity set (or type) at fault, when the fault belongs to one. */
  readonly set?: string | undefined;
  /** The route at fault, such as `/Orders({key})`. */
  readonly route?: string | undefined;
  /** The HTTP method of that route. */
  readonly method?: string | undefined;
  /** The property at fault, by the application's key, or the navigation. */
  readonly property?: string | undefined;
  /** The table of the database at fault. */
  readonly table?: string | undefined;
  /** Its column. */
  readonly column?: string | undefined;
  /** The kind of a fault that the schema check found, such as `C02`. */
  readonly code?: string | undefined;
  /** What is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/**
 * Thrown once at startup, with every fault of the declarations at once.
 * @see specification, sections Resources and Operations (startup rules)
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly faults: readonly ConfigurationFault[];

  /** @param options the error that made the declarations unreadable, as `cause`; where the faults are */
  constructor(faults: readonly ConfigurationFault[], { where = "in its declarations", ...options }: FaultOptions = {}) {
    super(describeFaults(faults, where), options);
    this.faults = Object.freeze([...faults]);
  }
}

/** What a ConfigurationError may carry beside its faults. */
interface FaultOptions extends ErrorOptions {
  /** `in its declarations` when absent. */
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
