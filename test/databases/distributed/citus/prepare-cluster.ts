import type { Run } from "./place-table.ts";

/**
 * Prepares the database of a cluster for the tests: the extension, and settings of all machines that change the texts of
 * values. One machine of several keeps ISO dates. Use a database of the tests alone.
 * @param settings settings of sessions
 * @returns the version of Citus, and the function that resets the settings
 * @throws Error if no machine holds shards
 */
export async function prepareCluster(
  run: Run,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly version: string; readonly reset: () => Promise<void> }> {
  const known = await run("select 1 from pg_proc where proname = 'citus_version'");
  if (known.length === 0) await run("create extension citus");
  const [{ version }] = (await run("select citus_version() as version")) as readonly [{ readonly version: string }];
  const holders = await run(
    "select nodename, nodeport from pg_dist_node where shouldhaveshards and isactive order by 2",
  );
  if (holders.length === 0) {
    throw new Error(
      "No machine of DISTRIBUTED_URL holds shards: add workers with citus_add_node, or let the coordinator hold them with citus_set_coordinator_host and citus_set_node_property(…, 'shouldhaveshards', true).",
    );
  }
  const [{ name }] = (await run("select quote_ident(current_database()) as name")) as readonly [
    { readonly name: string },
  ];
  const alter = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) {
      await run(statement);
      await run("select * from run_command_on_workers($1)", [statement]);
    }
  };
  await alter(Object.entries(settings).map(([key, value]) => `alter database ${name} set ${key} = '${value}'`));
  // A value then has another text on each machine.
  if (settings["datestyle"] !== undefined && holders.length > 1) {
    const statement = `set citus.enable_ddl_propagation to off; alter database ${name} set datestyle = 'ISO, DMY'`;
    const { nodename, nodeport } = holders[0] as { readonly nodename: string; readonly nodeport: number };
    await run("select * from master_run_on_worker(array[$1], array[$2::int], array[$3], false)", [
      nodename,
      nodeport,
      statement,
    ]);
  }
  return { version, reset: () => alter(Object.keys(settings).map((key) => `alter database ${name} reset ${key}`)) };
}
