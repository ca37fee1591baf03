// Command porcupine says of each history on standard input whether it is linearizable: of a register, or of a map.
// With a number of rounds as second argument it says how long the fastest of them took, too.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

type call struct {
	Client   int    `json:"client"`
	Op       string `json:"op"`
	Number   int    `json:"number"`
	Outcome  string `json:"outcome"`
	Invoked  int64  `json:"invoked"`
	Returned int64  `json:"returned"`
}

type verdict struct {
	Linearizable bool  `json:"linearizable"`
	Nanoseconds  int64 `json:"nanoseconds"`
}

func register(state, input, output interface{}) (bool, interface{}) {
	value, asked, given := state.(int), input.(call), output.(string)
	switch asked.Op {
	case "write":
		return given == "None", asked.Number
	case "read":
		return given == strconv.Itoa(value), value
	}
	if value == asked.Number {
		return given == "'yes'", asked.Number + 1
	}
	return given == "'no'", value
}

func small(state, input, output interface{}) (bool, interface{}) {
	values, asked, given := state.([2]int), input.(call), output.(string)
	key := asked.Number / 10
	if asked.Op == "get" {
		return given == strconv.Itoa(values[key]), values
	}
	values[key] = asked.Number % 10
	return given == "None", values
}

func main() {
	model := porcupine.Model{
		Init: func() interface{} { return 0 },
		Step: register,
	}
	if os.Args[1] == "map" {
		model = porcupine.Model{
			Init: func() interface{} { return [2]int{} },
			Step: small,
		}
	}
	var histories [][]call
	if err := json.NewDecoder(os.Stdin).Decode(&histories); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	rounds := 1
	if len(os.Args) > 2 {
		rounds, _ = strconv.Atoi(os.Args[2])
	}
	told := []verdict{}
	for _, history := range histories {
		operations := []porcupine.Operation{}
		for _, one := range history {
			operations = append(operations, porcupine.Operation{
				ClientId: one.Client, Input: one, Call: one.Invoked, Output: one.Outcome, Return: one.Returned,
			})
		}
		var found verdict
		for round := 0; round < rounds; round++ {
			began := time.Now()
			found.Linearizable = porcupine.CheckOperations(model, operations)
			taken := time.Since(began).Nanoseconds()
			if round == 0 || taken < found.Nanoseconds {
				found.Nanoseconds = taken
			}
		}
		told = append(told, found)
	}
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		os.Exit(2)
	}
}
