// Package chart finds the chart that a result suggests by its shape, and draws it as text. The page of a result (package resultpage) has the
// same rules; testdata/shapes.json tests both.
package chart

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Chart shows numbers over times, or for names.
type Chart struct {
	By     string   // the column with the times or names
	Time   bool     // Labels are times, in order, and are drawn from left to right
	Labels []string // the values of the column By
	Series []Series
}

// Series is one column of numbers.
type Series struct {
	Name   string
	Texts  []string  // the values as the result has them; "" is null
	Values []float64 // the values as numbers; NaN is null
}

// These match the JSON of a column's cells.
var (
	number  = scalar.Pattern(`^(-?\d.*|"-?\d+\.\d+")$`) // numbers, and decimals, which are texts
	whole   = scalar.Pattern(`^-?\d+$`)
	word    = scalar.Pattern(`^["tf]`)
	moment  = scalar.Pattern(`^"\d{4}-\d\d(-\d\d(T[\d:.]+Z)?)?"$`)
	keyName = scalar.Pattern(`^id$|[a-z](Id|ID|_id)$`) // columns with numbers that only identify rows
	cycle   = scalar.Pattern(`(?i)(^|[a-z_])(year|quarter|month|week|day|hour)$`)
)

// column is a column of a result. It has the JSON of each row's cell.
type column struct {
	name  string
	cells []string
}

func (c *column) all(re *regexp.Regexp) bool {
	null := 0
	for _, x := range c.cells {
		if x == "null" {
			null++
		} else if !re.MatchString(x) {
			return false
		}
	}
	return null < len(c.cells)
}

func (c *column) role() string { // role returns what a column is for in a chart: a time, a number, a word that names a bar, or a key, which is left out.
	switch {
	case keyName().MatchString(c.name) && c.all(whole()):
		return "key"
	case cycle().MatchString(c.name) && c.all(whole()), c.all(moment()):
		return "time"
	case c.all(number()):
		return "number"
	case c.all(word()):
		return "word"
	}
	return "other"
}

// Of returns the chart that a result in JSON suggests. If it suggests none, c is nil and why is the reason.
func Of(result []byte) (c *Chart, why string) {
	columns, n := columnsOf(result)
	of := map[string][]*column{}
	for _, x := range columns {
		of[x.role()] = append(of[x.role()], x)
	}
	names := append(of["time"], of["word"]...)
	switch {
	case n < 2:
		return nil, "the result is not a list of at least two rows"
	case len(of["other"]) > 0:
		return nil, fmt.Sprintf("the column %q has neither numbers, times nor names", of["other"][0].name)
	case len(of["number"]) == 0 || len(of["number"]) > 4:
		return nil, fmt.Sprintf("%d columns have numbers, and a chart needs 1 to 4", len(of["number"]))
	case len(names) != 1:
		return nil, fmt.Sprintf("%d columns have times or names, and a chart needs exactly one", len(names))
	case len(of["time"]) == 0 && n > 40:
		return nil, fmt.Sprintf("the result has %d rows, and a chart has at most 40 bars", n)
	}
	c = &Chart{By: names[0].name, Time: len(of["time"]) > 0}
	order, seen := make([]int, n), map[string]bool{"null": true}
	for i, x := range names[0].cells {
		if order[i] = i; seen[x] {
			return nil, fmt.Sprintf("the column %q has a null, or one value twice, and a chart needs a different value in each row", c.By)
		}
		seen[x] = true
	}
	if c.Time {
		slices.SortFunc(order, func(i, j int) int {
			a, b := names[0].cells[i], names[0].cells[j]
			return cmp.Or(cmp.Compare(value(a), value(b)), strings.Compare(a, b))
		})
	}
	for _, i := range order {
		c.Labels = append(c.Labels, text(names[0].cells[i]))
	}
	for _, x := range of["number"] {
		s := Series{Name: x.name}
		for _, i := range order {
			s.Texts, s.Values = append(s.Texts, text(x.cells[i])), append(s.Values, value(text(x.cells[i])))
		}
		c.Series = append(c.Series, s)
	}
	return c, ""
}

// text returns the text or number in a cell's JSON, and "" for null.
func text(cell string) (s string) {
	if !strings.HasPrefix(cell, `"`) && cell != "null" {
		return cell
	}
	_ = json.Unmarshal([]byte(cell), &s)
	return s
}

func value(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// columnsOf splits a result into columns, and returns the number of rows. The number is 0 if the result is no list of rows.
func columnsOf(result []byte) (columns []*column, n int) {
	var rows []json.RawMessage
	if json.Unmarshal(result, &rows) != nil {
		return nil, 0
	}
	at := map[string]*column{}
	for i, r := range rows {
		d := json.NewDecoder(bytes.NewReader(r))
		if t, _ := d.Token(); t != json.Delim('{') {
			return nil, 0
		}
		for d.More() {
			var cell json.RawMessage
			t, err := d.Token()
			if err = cmp.Or(err, d.Decode(&cell)); err != nil {
				return nil, 0
			}
			name := t.(string)
			if at[name] == nil {
				at[name] = &column{name, slices.Repeat([]string{"null"}, len(rows))}
				columns = append(columns, at[name])
			}
			at[name].cells[i] = string(cell)
		}
	}
	return columns, len(rows)
}

// height is the number of lines for the values of a chart over times.
const height = 10

// Draw draws the chart as lines of at most width columns of a terminal. The text has no control characters.
func (c *Chart) Draw(width int) string {
	width = max(width, 30)
	labels, widest := make([]string, len(c.Labels)), 0
	for i, l := range c.Labels {
		labels[i] = printable.Cut(printable.OneLine(l), width/3)
		widest = max(widest, printable.Width(labels[i]))
	}
	var parts []string
	for _, s := range c.Series {
		s.Texts = short(s)
		draw := s.bars
		if c.Time {
			draw = s.columns
		}
		parts = append(parts, printable.Cut(printable.OneLine(s.Name+" by "+c.By), width)+"\n"+draw(labels, widest, width))
	}
	return strings.Join(parts, "\n")
}

// short returns the texts of numbers. If a text is too long for the narrowest chart, all are shortened to three digits.
func short(s Series) []string {
	if !slices.ContainsFunc(s.Texts, func(t string) bool { return len(t) > 12 }) {
		return s.Texts
	}
	texts := slices.Clone(s.Texts)
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			texts[i] = strconv.FormatFloat(v, 'g', 3, 64)
		}
	}
	return texts
}

// ends returns the lowest and the highest number of a scale that includes 0, and their texts.
func (s *Series) ends() (low, high float64, lowText, highText string) {
	lowText, highText = "0", "0"
	for i, v := range s.Values {
		if v < low {
			low, lowText = v, s.Texts[i]
		}
		if v > high {
			high, highText = v, s.Texts[i]
		}
	}
	return low, high, lowText, highText
}

// bars draws a bar for each name: to the right of a line at 0, or to the left for a negative number.
func (s *Series) bars(labels []string, widest, width int) string {
	places, digits := 0, 0
	point := func(t string) int { return strings.IndexByte(t+".", '.') }
	for _, t := range s.Texts {
		places, digits = max(places, len(t)-point(t)), max(digits, point(t))
	}
	low, high, _, _ := s.ends()
	room := max(4, width-widest-digits-places-4)
	left := 0 // columns left of the line at 0, for negative numbers
	if low < 0 {
		left = max(1, min(room-1, int(math.Round(float64(room)*(low/2/(low/2-high/2))))))
	}
	unit := math.Max(high/float64(room-left), -low/math.Max(1, float64(left))) // the number that a column of the terminal means, the same on both sides
	var b strings.Builder
	for i, t := range s.Texts { // align the decimal points
		line := labels[i] + strings.Repeat(" ", widest-printable.Width(labels[i])+2+digits-point(t)) + t + strings.Repeat(" ", 2+places-(len(t)-point(t)))
		eighths := 0
		if v := s.Values[i]; unit > 0 && !math.IsNaN(v) {
			eighths = int(math.Round(v / unit * 8))
		}
		if eighths < 0 {
			full := (4 - eighths) / 8
			line += strings.Repeat(" ", left-full) + strings.Repeat("█", full)
		} else {
			line += strings.Repeat(" ", left) + strings.Repeat("█", eighths/8) + string([]rune(" ▏▎▍▌▋▊▉")[eighths%8])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// columns draws the values from left to right. If there are more values than places, each place shows the last of its values.
func (s *Series) columns(labels []string, widest, width int) string {
	low, high, lowText, highText := s.ends()
	margin := max(len(lowText), len(highText))
	room, n := max(1, width-margin-2), len(s.Values)
	place := func(i int) int { return i * min(room/n, 8) }
	if room < n {
		place = func(i int) int { return i * (room - 1) / (n - 1) }
	}
	up := height // the number of lines above 0
	if low < 0 {
		up = min(height-1, int(math.Ceil(height*(high/2/(high/2-low/2))))) // halve both numbers, because their difference may overflow
	}
	unit := math.Max(high/math.Max(1, float64(up)), -low/math.Max(1, float64(height-up))) / 8 // the number that an eighth of a line means
	unit = cmp.Or(unit, 1)
	first, last := up-int(math.Ceil(high/unit/8)), up-1+int(math.Ceil(-low/unit/8))
	lines := make([][]rune, height)
	for y := range lines {
		lines[y] = []rune(strings.Repeat(" ", room))
	}
	for i, v := range s.Values {
		end := max(place(i)+1, min(room, place(i+1)-1))
		for y := range height {
			glyph := ' '
			if y < up && v > 0 {
				glyph = []rune(" ▁▂▃▄▅▆▇█")[max(0, min(int(math.Round(v/unit))-8*(up-1-y), 8))]
			} else if y >= up && v < 0 { // Unicode has fewer characters for blocks that hang down
				glyph = []rune(" ▔▔▀▀▀▀██")[max(0, min(int(math.Round(-v/unit))-8*(y-up), 8))]
			}
			for x := place(i); x < end; x++ {
				lines[y][x] = glyph
			}
		}
	}
	var b strings.Builder
	for y := first; y <= last; y++ {
		at := map[int]string{last: lowText, first: highText}[y]
		b.WriteString(strings.TrimRight(fmt.Sprintf("%*s │%s", margin, at, string(lines[y])), " ") + "\n")
	}
	axis, free := strings.Repeat(" ", margin+2), 0
	for i, l := range labels {
		if w := printable.Width(l); place(i) >= free && place(i)+w <= room {
			axis += strings.Repeat(" ", margin+2+place(i)-printable.Width(axis)) + l
			free = place(i) + max(w, widest) + 1
		}
	}
	return b.String() + axis + "\n"
}
