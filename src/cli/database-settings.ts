/** How a command uses a database. */
export interface DatabaseSettings {
  /** Milliseconds after which the database ends a statement. */
  readonly timeout: number;
  /** The maximum number of connections to a server. */
  readonly pool: number;
  /** Whether the command may write rows. */
  readonly mayWrite: boolean;
  /** The folder that relative paths start from. */
  readonly folder: string;
}
