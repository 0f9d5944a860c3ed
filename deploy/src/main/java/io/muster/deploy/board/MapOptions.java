package io.muster.deploy.board;

import io.muster.deploy.board.feed.NodeLabels;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** By which labels the map of nodes is divided, for all commands that show it. */
final class MapOptions {

  @Option(
      names = "--block",
      paramLabel = "LABEL",
      description = "Node label by which the map is divided. Default: those that are usual.")
  private Optional<String> block = Optional.empty();

  @Option(
      names = "--rack",
      paramLabel = "LABEL",
      description = "Node label by which blocks are divided. Default: those that are usual.")
  private Optional<String> rack = Optional.empty();

  NodeLabels labels() {
    return new NodeLabels(
        block.map(List::of).orElse(NodeLabels.USUAL.block()),
        rack.map(List::of).orElse(NodeLabels.USUAL.rack()));
  }
}
