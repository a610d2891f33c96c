/**
 * The functions of Citus that the set-up of the tests calls, for PostgreSQL without Citus. Tables stay where they are;
 * the functions fail for the tables that Citus refuses to distribute, by its documentation.
 */
export const IMITATED_FUNCTIONS = `
create table pg_dist_partition (logicalrelid regclass primary key, partmethod "char" not null, partkey text, repmodel "char" not null default 't', colocationid int not null default 1);
create table pg_dist_node (nodename text, nodeport int, isactive boolean, shouldhaveshards boolean);
insert into pg_dist_node values ('localhost', 5432, true, true);
create table sent_to_workers (place int generated always as identity, command text);

create function column_to_column_name(name regclass, partkey text) returns text language sql as $f$ select partkey $f$;

create function citus_version() returns text language sql as $f$ select 'no Citus, imitated' $f$;

create function run_command_on_workers(command text, out nodename text, out nodeport int, out success boolean, out result text)
returns setof record language plpgsql as $f$
begin
  insert into sent_to_workers (command) values ($1);
  return query select 'localhost'::text, 5432, true, 'ALTER DATABASE'::text;
end $f$;

create function create_reference_table(name regclass) returns void language plpgsql as $f$
begin
  if exists (select from pg_dist_partition where logicalrelid = name) then
    raise 'table % is already distributed', name using errcode = '42P16';
  end if;
  if exists (select from pg_constraint c join pg_dist_partition p on p.logicalrelid = c.confrelid
    where c.conrelid = name and c.contype = 'f' and c.confrelid <> name and p.partmethod <> 'n') then
    raise 'a reference table cannot refer to a distributed one' using errcode = '0A000';
  end if;
  insert into pg_dist_partition values (name, 'n', null);
end $f$;

create function create_distributed_table(name regclass, key text) returns void language plpgsql as $f$
declare number int2 := (select attnum from pg_attribute where attrelid = name and attname = key);
begin
  if exists (select from pg_dist_partition where logicalrelid = name) then
    raise 'table % is already distributed', name using errcode = '42P16';
  end if;
  if number is null then raise 'column % does not exist', key using errcode = '42703'; end if;
  if exists (select from pg_index where indrelid = name and indisunique and not number = any (indkey::int2[])) then
    raise 'cannot create constraint on %', name using errcode = '0A000',
      detail = 'Distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not include the partition column.';
  end if;
  if exists (select from pg_constraint c left join pg_dist_partition p on p.logicalrelid = c.confrelid
    where c.conrelid = name and c.contype = 'f' and p.partmethod is distinct from 'n') then
    raise 'cannot create foreign key constraint since relations are not colocated or not referencing a reference table'
      using errcode = '0A000';
  end if;
  insert into pg_dist_partition values (name, 'h', key);
end $f$;

create function undistribute_table(name regclass) returns void language sql as $f$
  delete from pg_dist_partition where logicalrelid = name
$f$;
`;
