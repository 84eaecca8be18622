SELECT 'payee ' || id || ' ' || payout FROM payees UNION ALL SELECT 'transaction ' || id || ' ' || category FROM transactions WHERE category IS NOT NULL
