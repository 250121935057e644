package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
)

func newLogin(std streams) *cobra.Command {
	var profile string
	var asJSON bool
	var diagnose string
	c := &cobra.Command{
		Use: "login", Short: "Show the state of Ark CLI and what mends it", Args: noArgs,
		Example: "  llm-bench login\n  llm-bench login --diagnose",
		Long:    "Shows whether Ark CLI is installed and logged in, which profile and address it gives, and the command that mends what is wrong. Nothing is changed.",
		RunE: func(c *cobra.Command, _ []string) error {
			cli := arkcli.New(arkcli.Options{})
			if diagnose != "" {
				if asJSON && diagnose == diagnosisFile {
					diagnose = "-"
				}
				return writeDiagnosis(c.Context(), std, cli, diagnose)
			}
			login, err := cli.Login(c.Context(), profile)
			if asJSON {
				if encodeErr := printJSON(std.out, login); encodeErr != nil {
					return encodeErr
				}
			} else {
				printLogin(std.out, &login)
			}
			return err
		},
	}
	c.Flags().StringVar(&profile, "profile", "", "Ark CLI profile (default: Ark CLI's own default)")
	c.Flags().StringVar(&diagnose, "diagnose", "", "write a record of what Ark CLI answers, names only, to send to support; under --json to stdout")
	c.Flags().Lookup("diagnose").NoOptDefVal = diagnosisFile
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// diagnosisFile is where the record goes unless the flag names another file.
const diagnosisFile = "llm-bench_arkcli_diagnosis.json"

// writeDiagnosis writes the record to a file; "-" is standard output.
func writeDiagnosis(ctx context.Context, std streams, cli *arkcli.CLI, path string) error {
	d, err := cli.Diagnose(ctx)
	if err != nil {
		return err
	}
	if path == "-" {
		return printJSON(std.out, d)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	if err := printJSON(file, d); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "%s holds names and counts, no values: send it to support\n", path)
	return err
}

func printLogin(w io.Writer, l *arkcli.Login) {
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-12s %s\n", name, value)
		}
	}
	row("Ark CLI", strings.TrimSpace(l.Version+" "+l.Path))
	if l.LoggedIn {
		row("login", "ok ("+l.AuthMethod+")")
	} else {
		row("login", "none that works")
	}
	row("profile", l.Profile)
	row("base URL", l.BaseURL)
	for _, warning := range l.Warnings {
		row("warning", warning)
	}
}

func newModels(std streams) *cobra.Command {
	var profile string
	var asJSON bool
	c := &cobra.Command{
		Use: "models QUERY", Short: "Find the model ID behind a name", Args: oneArg("QUERY"),
		Example: `  llm-bench models "豆包 Seed 2.0 Mini"`,
		RunE: func(c *cobra.Command, args []string) error {
			found, err := arkcli.New(arkcli.Options{}).Resolve(c.Context(), profile, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(std.out, found)
			}
			printModels(std.out, &found)
			return nil
		},
	}
	c.Flags().StringVar(&profile, "profile", "", "Ark CLI profile (default: Ark CLI's own default)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func printModels(w io.Writer, r *arkcli.Resolution) {
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning: "+warning)
	}
	if r.Resolved {
		fmt.Fprintf(w, "%s  %s\n%s\n", r.Model(), r.DisplayName, r.Why)
		return
	}
	fmt.Fprintf(w, "%s\n%-44s %-32s %-9s %10s %6s  %s\n", r.Why, "ID", "NAME", "KIND", "CONTEXT", "SCORE", "CAPABILITIES")
	for _, c := range r.Candidates {
		window := ""
		if c.ContextWindow > 0 {
			window = fmt.Sprint(c.ContextWindow)
		}
		fmt.Fprintf(w, "%-44s %-32s %-9s %10s %6.2f  %s\n", c.ID, c.Name, c.Kind, window, c.Score, strings.Join(c.Capabilities, " "))
	}
}
