"""The engine: command line, sweep runner, phases, ledger, analysis, scores, comparison, publishing."""
