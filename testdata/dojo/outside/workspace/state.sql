SELECT 'event ' || id || ' ' || day || ' ' || guests FROM events ORDER BY id
