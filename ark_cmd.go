package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llm-bench/llm-bench/arkcli"
)

func newLogin(std streams) *cobra.Command {
	var profile string
	var asJSON, diagnose bool
	c := &cobra.Command{
		Use: "login", Short: "Show the state of Ark CLI and what mends it", Args: noArgs,
		Long: "Shows whether Ark CLI is installed and logged in, which profile and address it gives, and the command that mends what is wrong. Nothing is changed.",
		RunE: func(c *cobra.Command, _ []string) error {
			cli := arkcli.New(arkcli.Options{})
			if diagnose {
				d, err := cli.Diagnose(c.Context())
				if err != nil {
					return err
				}
				return printJSON(std.out, d)
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
	c.Flags().BoolVar(&diagnose, "diagnose", false, "print a record of what Ark CLI answers, names only, to send to support")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
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
	fmt.Fprintf(w, "%s\n%-44s %-32s %-9s %10s\n", r.Why, "ID", "NAME", "KIND", "CONTEXT")
	for _, c := range r.Candidates {
		window := ""
		if c.ContextWindow > 0 {
			window = fmt.Sprint(c.ContextWindow)
		}
		fmt.Fprintf(w, "%-44s %-32s %-9s %10s\n", c.ID, c.Name, c.Kind, window)
	}
}
