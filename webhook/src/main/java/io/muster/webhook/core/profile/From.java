package io.muster.webhook.core.profile;

/** Something that a pod gets, and the name of the profile that says so. */
public record From<T>(String profile, T value) {}
