package front

import (
	"os"
	"strings"
	"testing"
)

// typed are programs in TypeScript and what they give: as models write them, and what is hard to read.
func typed(t testing.TB) (all []struct{ src, want string }) {
	t.Helper()
	b, err := os.ReadFile("../source/testdata/typescript.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Split(string(b), "\n-----\n")[1:] {
		src, want, _ := strings.Cut(strings.TrimSuffix(c, "\n"), "\n=> ")
		all = append(all, struct{ src, want string }{src, want})
	}
	if len(all) < 50 {
		t.Fatalf("only %d programs", len(all))
	}
	return all
}

// A program with types does what it does without them.
func TestTypeScript(t *testing.T) {
	for _, c := range typed(t) {
		p, err := checked(c.src, testConfig())
		if err != nil {
			t.Errorf("%s\n%v", c.src, err)
			continue
		}
		vm, _, api := testRealm(t)
		if got := runCompiled(t, vm, p.Compiled, api); got != c.want {
			t.Errorf("%s\ngot %s, want %s", c.src, got, c.want)
		}
	}
}

func BenchmarkCompileTypeScript(b *testing.B) {
	const src = "interface Row { title: string; n: number }\nasync (api: Api): Promise<{ sum: number }> => {\n const rows: Row[] = await api.todos.where((t: any) => t.done === false && t.n > 3).select((t) => ({ title: t.title, n: t.n * 2 }));\n let sum: number = 0;\n for (const r of rows) { if (r.n! > 1) sum += r.n as number }\n return { sum };\n}"
	cfg := testConfig()
	for b.Loop() {
		if _, err := checked(src, cfg); err != nil {
			b.Fatal(err)
		}
	}
}
