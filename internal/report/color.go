package report

import "github.com/fettle-dev/fettle/internal/diagnostic"

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	faint  = "\x1b[2m"
	reset  = "\x1b[0m"
)

func (p *printer) paint(color, s string) string {
	if !p.style.Color {
		return s
	}
	return color + s + reset
}

func (p *printer) dim(s string) string { return p.paint(faint, s) }
func (p *printer) red(s string) string { return p.paint(red, s) }

func (p *printer) kind(kind string) string {
	color := map[string]string{"added": green, "deleted": red}[kind]
	if color == "" {
		color = yellow
	}
	return p.paint(color, letters[kind])
}

func (p *printer) severity(s diagnostic.Severity) string {
	switch s {
	case diagnostic.Error:
		return p.red("error  ")
	case diagnostic.Warning:
		return p.paint(yellow, "warning")
	default:
		return p.dim("info   ")
	}
}
