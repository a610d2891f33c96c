/** Settings of PostgreSQL sessions that must not matter: they change the texts of dates, instants, durations and numbers. */
export const HOSTILE_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: "German, DMY",
  timezone: "Asia/Kathmandu",
  intervalstyle: "sql_standard",
  extra_float_digits: "3",
};

/** The same for the coordinator of a distributed database, whose sessions write dates in ISO style. */
export const COORDINATOR_SETTINGS: Readonly<Record<string, string>> = { ...HOSTILE_SETTINGS, datestyle: "ISO, DMY" };
