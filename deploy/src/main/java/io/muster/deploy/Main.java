package io.muster.deploy;

import io.muster.deploy.certs.CertsCommand;
import io.muster.deploy.mutate.MutateCommand;
import io.muster.deploy.release.ReleaseCommand;
import io.muster.deploy.serve.ServeCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program: picks the command and turns its outcome into an exit code. */
@Command(
    name = "muster",
    mixinStandardHelpOptions = true,
    description = "Places a gang of pods whole or not at all, beside kube-scheduler.",
    subcommands = {
      ServeCommand.class,
      MutateCommand.class,
      CertsCommand.class,
      ReleaseCommand.class
    })
public final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    var line = new CommandLine(new Main());
    line.setExecutionExceptionHandler((fault, command, _) -> {
      command.getErr().println("muster: " + fault.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    });
    if (arguments.length == 0) {
      line.usage(line.getOut());
      System.exit(CommandLine.ExitCode.USAGE);
    }
    System.exit(line.execute(arguments));
  }
}
