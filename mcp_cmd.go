package main

import (
	"github.com/spf13/cobra"
)

func newMCP(std streams) *cobra.Command    { return &cobra.Command{Use: "mcp", Hidden: true} }
func newSetup(std streams) *cobra.Command  { return &cobra.Command{Use: "setup", Hidden: true} }
func newWorker(std streams) *cobra.Command { return &cobra.Command{Use: "worker DIR", Hidden: true} }
