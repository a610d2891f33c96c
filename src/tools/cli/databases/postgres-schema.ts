/** The statement of a row that changes with the schema of PostgreSQL. */
export const PG_SCHEMA: string = `select md5(coalesce(string_agg(concat_ws(',', a.attrelid, a.attname, a.attnum, a.atttypid, a.atttypmod,
      a.attnotnull, d.oid, col_description(a.attrelid, a.attnum)), ';' order by a.attrelid, a.attnum), '')) as text,
      (select md5(coalesce(string_agg(concat_ws(',', k.oid, k.conname, k.conkey, k.confkey), ';' order by k.oid), ''))
        from pg_constraint k) as constraints,
      (select md5(coalesce(string_agg(concat_ws(',', i.indexrelid, i.indisunique, i.indisvalid), ';' order by i.indexrelid), ''))
        from pg_index i where i.indrelid >= 16384) as indexes,
      (select md5(coalesce(string_agg(concat_ws(',', e.enumtypid, e.enumlabel, e.enumsortorder), ';'
        order by e.enumtypid, e.enumsortorder), '')) from pg_enum e) as labels,
      (to_regprocedure('citus_version()') is not null and to_regclass('pg_dist_partition') is not null) as spread
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'v', 'm', 'p', 'f')
      and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`;
