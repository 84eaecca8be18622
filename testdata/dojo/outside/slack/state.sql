SELECT 'user ' || id || ' ' || role FROM users ORDER BY id
