package io.muster.deploy.certs;

import picocli.CommandLine.Command;

/** {@code muster certs}: groups the commands about certificates. */
@Command(
    name = "certs",
    mixinStandardHelpOptions = true,
    description = "Shows and rotates the certificates that Muster works with.",
    subcommands = {StatusCommand.class, RotateCommand.class})
public final class CertsCommand {}
