package io.muster.sandbox;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The tests of this class run in a sandbox whose pods play the scripts in their annotations, and
 * can be reached by exec: see {@code deploy/sandbox/kit} and the package {@code io.muster.kit}.
 * Goes with {@link BareSandbox} or without it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
public @interface ScriptedPods {}
