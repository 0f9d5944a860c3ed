package io.muster.deploy;

import io.muster.deploy.board.BoardCommand;
import io.muster.deploy.board.BoardServiceCommand;
import io.muster.deploy.certs.CertsCommand;
import io.muster.deploy.doctor.DoctorCommand;
import io.muster.deploy.mutate.MutateCommand;
import io.muster.deploy.release.ReleaseCommand;
import io.muster.deploy.release.UninstallCommand;
import io.muster.deploy.scheduler.SchedulerConfigCommand;
import io.muster.deploy.scheduler.SchedulerFilesCommand;
import io.muster.deploy.serve.ServeCommand;
import io.muster.deploy.view.ExplainCommand;
import io.muster.deploy.view.FitCommand;
import io.muster.deploy.view.LineCommand;
import io.muster.deploy.view.QueuesCommand;
import io.muster.deploy.view.ReportCommand;
import io.muster.deploy.view.SnapshotCommand;
import io.muster.deploy.view.TopCommand;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The program's command line: picks the command and turns its outcome into an exit code. */
@Command(
    name = "muster",
    mixinStandardHelpOptions = true,
    versionProvider = Commands.Version.class,
    description = "Places a gang of pods whole or not at all, beside kube-scheduler.")
public final class Commands {

  private static final List<Class<?>> COMMANDS =
      List.of(
          ServeCommand.class,
          MutateCommand.class,
          CertsCommand.class,
          ReleaseCommand.class,
          UninstallCommand.class,
          DoctorCommand.class,
          SchedulerConfigCommand.class,
          SchedulerFilesCommand.class,
          SnapshotCommand.class,
          FitCommand.class,
          ExplainCommand.class,
          LineCommand.class,
          QueuesCommand.class,
          TopCommand.class,
          BoardCommand.class,
          BoardServiceCommand.class,
          ReportCommand.class);

  private static final String SIMULATOR = "io.muster.simulator.SimulateCommand";

  private Commands() {}

  /** What the jar says of itself: its version, and the commit if it was built from one. */
  static final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
      var stated = Optional.ofNullable(Commands.class.getPackage().getImplementationVersion());
      return new String[] {"muster " + stated.orElse("that was not packaged") + commit()};
    }

    private static String commit() throws IOException {
      var written = new Properties();
      try (InputStream text = Commands.class.getResourceAsStream("commit.properties")) {
        if (text != null) {
          written.load(text);
        }
      }
      return Optional.ofNullable(written.getProperty("git.commit.id.full"))
          .map(id -> ", commit " + id + (isChanged(written) ? "-dirty" : ""))
          .orElse("");
    }

    private static boolean isChanged(Properties written) {
      return Boolean.parseBoolean(written.getProperty("git.dirty"));
    }
  }

  /** It is a jar of its own, which an installation in a cluster leaves out. */
  private static void addSimulator(CommandLine line) {
    try {
      line.addSubcommand(Class.forName(SIMULATOR));
    } catch (ClassNotFoundException _) {
      // Then there is no command "simulate".
    }
  }

  /**
   * The command line for these arguments. Where the first one is a command, only the options of
   * that command are read: those of all would be read by reflection at each start of a process.
   */
  public static CommandLine commandLine(List<String> arguments) {
    var line = new CommandLine(new Commands());
    var named =
        COMMANDS.stream()
            .filter(command -> arguments.stream().limit(1).anyMatch(nameOf(command)::equals))
            .findFirst();
    named.map(List::<Class<?>>of).orElse(COMMANDS).forEach(line::addSubcommand);
    if (named.isEmpty()) {
      addSimulator(line);
    }
    return line;
  }

  private static String nameOf(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  static int execute(List<String> arguments) {
    var line = commandLine(arguments);
    if (arguments.isEmpty()) {
      line.usage(line.getOut());
      return CommandLine.ExitCode.USAGE;
    }
    return line.setExecutionExceptionHandler(
            (fault, command, _) -> Main.failed(fault, command.getErr()::println))
        .execute(arguments.toArray(String[]::new));
  }
}
