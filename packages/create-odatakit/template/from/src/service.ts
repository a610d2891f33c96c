// Everybody who reaches the service can read all tables. Before others do, give it `authenticate` and `authorization`, in
// model/service.ts, and `rows` to the sets.
export { service } from "./model/service.ts";
