SELECT 'trip ' || id || ' ' || card || ' ' || coalesce(note, '') FROM trips ORDER BY id
