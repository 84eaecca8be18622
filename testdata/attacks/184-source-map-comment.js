// The engine's parser follows this and reads a file of the host.
// no twin: TestSourceMapComment reads the file with the default parser
return 1;
//# sourceMappingURL=file:///etc/host/path
//# sourceMappingURL=data:application/json;base64,AAAA
//=> 1
