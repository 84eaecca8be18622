package game

// Default are the targets that come with the game. To add one, write it in a file
// beside wallet.go and put its name here.
var Default = Targets{wallet, notes}
